/** An audio packet: the time that its container declares, and its number of samples if the packet itself declares one. */
export interface TimedPacket {
  readonly seconds: number;
  readonly samples: number | undefined;
}

/** Packet lengths, in samples, of audio codecs whose packets are all equally long. */
const USUAL_SAMPLES = [120, 240, 480, 576, 960, 1024, 1152, 1536, 1920, 2048, 2880, 4096, 4608];
const TOLERANCE_SHARE = 0.02;
/** A container that counts milliseconds rounds times up or down. */
const TOLERANCE_TICKS = 1.01;

/**
 * When packets are heard, in samples. Matroska usually stores times in milliseconds. A packet that begins within that precision
 * of the previous packet's end therefore begins exactly there.
 */
export function steadyTicks(
  packets: readonly TimedPacket[],
  { samplesPerSecond, tickSeconds }: { samplesPerSecond: number; tickSeconds: number },
): number[] {
  const usual = usualSamples(packets, samplesPerSecond);
  const tolerance = TOLERANCE_TICKS * tickSeconds * samplesPerSecond;
  let end: number | undefined;
  return packets.map(({ seconds, samples }) => {
    const declared = Math.round(seconds * samplesPerSecond);
    const tick = end !== undefined && Math.abs(end - declared) <= tolerance ? end : declared;
    const length = samples ?? usual;
    end = length === undefined ? undefined : tick + length;
    return tick;
  });
}

function usualSamples(packets: readonly TimedPacket[], samplesPerSecond: number): number | undefined {
  const [first, last] = [packets[0], packets.at(-1)];
  if (first === undefined || last === undefined || packets.length < 2) return undefined;
  const mean = ((last.seconds - first.seconds) * samplesPerSecond) / (packets.length - 1);
  return USUAL_SAMPLES.find((samples) => Math.abs(samples - mean) <= TOLERANCE_SHARE * samples);
}
