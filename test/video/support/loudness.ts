import { BufferSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import { readMatroskaHeader } from "../../../src/work/video/containers/matroska-header.ts";
import { delaySeconds } from "../../../src/work/video/output/muted-packets.ts";
import { packetsOf } from "../../../src/work/video/containers/track-packets.ts";
import { ffmpegEngine } from "../../../src/work/video/engine/ffmpeg-engine.ts";
import { soundInput } from "../../../src/work/video/sound/sound-input.ts";
import { soundConfiguration } from "../../../src/work/video/sound/track-configuration.ts";

export const SAMPLES_PER_SECOND = 48_000;

/** The samples of a file's audio from the first shown time on, decoded by the engine. */
export async function samplesOf(file: Uint8Array<ArrayBuffer>, track = 0): Promise<Int16Array> {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source: new BufferSource(file) });
  const sound = (await input.getAudioTracks())[track];
  if (sound === undefined) throw new Error("There is no audio track.");
  const delay = await delayOf(file, sound.id);
  const chunks: Uint8Array[] = [];
  // Packets before the first shown one have negative times, so the engine's clock begins a second earlier.
  await ffmpegEngine.run({
    command: { kind: "decode_sound", samplesPerSecond: SAMPLES_PER_SECOND },
    inputs: { source: soundInput(await soundConfiguration(sound), packetsOf(sound), delay - 1) },
    outputs: {
      samples: {
        write(chunk) {
          chunks.push(chunk.slice());
        },
      },
    },
    timeoutMs: 60_000,
  });
  const bytes = concatBytes(chunks);
  const samples = new Int16Array(bytes.buffer, 0, Math.floor(bytes.length / 2));
  return samples.subarray(SAMPLES_PER_SECOND);
}

/** The delay of a WebM file's blocks relative to when they are heard. */
async function delayOf(file: Uint8Array<ArrayBuffer>, track: number): Promise<number> {
  if (file[0] !== 0x1a) return 0;
  const { tracks } = await readMatroskaHeader(async (start, end) => file.slice(start, end), file.length);
  return delaySeconds(tracks.find(({ number }) => number === track));
}

/** The loudest sample of a file's audio in a range, in decibels of full scale. */
export async function decibelsIn(
  file: Uint8Array<ArrayBuffer>,
  startSeconds: number,
  endSeconds: number,
  track = 0,
): Promise<number> {
  const samples = await samplesOf(file, track);
  const end = Math.round(endSeconds * SAMPLES_PER_SECOND);
  if (samples.length < end) throw new Error(`The audio ends after ${samples.length} samples.`);
  let loudest = 0;
  for (let at = Math.round(startSeconds * SAMPLES_PER_SECOND); at < end; at++)
    loudest = Math.max(loudest, Math.abs(samples[at] ?? 0));
  return 20 * Math.log10(loudest / 32_768);
}
