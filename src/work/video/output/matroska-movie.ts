import {
  BufferTarget,
  EncodedAudioPacketSource,
  Mp4OutputFormat,
  Output,
  type AudioCodec,
  type EncodedPacket,
  type InputAudioTrack,
  type InputVideoTrack,
} from "mediabunny";
import { cleanSoundDescription } from "../containers/audio-descriptions.ts";
import { box, u16, u32 } from "../containers/boxes.ts";
import { fitsMp4 } from "../containers/carried-sound.ts";
import { colourNumbers, type Colours } from "../containers/colours.ts";
import { EBML_IDS, numberOf } from "../containers/ebml.ts";
import { elementsOf, readMatroskaHeader, type MatroskaHeader } from "../containers/matroska-header.ts";
import { readMovieHeader, type TrackHeader } from "../containers/movie-header.ts";
import { steadyTicks, type TimedPacket } from "../containers/steady-ticks.ts";
import type { OpenSource } from "../containers/open-container.ts";
import { ShownTime } from "../containers/shown-time.ts";
import { ContainerError, packetsOf, reading } from "../containers/track-packets.ts";
import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { SoundMuting } from "../sound/sound-muting.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { dataOf, delaySeconds, heardWhole } from "./muted-packets.ts";
import type { OutputTrack } from "./output-track.ts";
import { silentMovieTrack } from "./silent-movie-track.ts";
import { frameBytesOf, videoTrack, wholeTrack, writtenMovie } from "./movie-assembly.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

interface MatroskaOptions extends OpenSource {
  readonly plan: VideoPlan;
  readonly rendered: RenderedPackets;
  /** Whether the source's audio is left out. */
  readonly isMuted: boolean;
  /** What is muted in audio that is kept; undefined if nothing is. */
  readonly muting: SoundMuting | undefined;
}

const MOVIE_TICKS_PER_SECOND = 1000;
/** Used for timestamps whose unit does not divide a second evenly. */
const FINE_TICKS_PER_SECOND = 1_000_000;
const NANOSECONDS = 1e9;
/** The display unit with which display sizes have no meaning (RFC 9559 §5.1.4.1.28.14). */
const UNKNOWN_UNIT = 4;

/**
 * Builds an MP4 file from a Matroska file, piece by piece: the rendered frames, and the packets of every audio track that an
 * MP4 can hold. Other audio tracks are left out, and so is everything that is neither video nor audio.
 */
export async function* movieOfMatroska(
  options: MatroskaOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { container, rendered } = options;
  const source = await readMatroskaHeader(options.read, options.sizeBytes);
  const [video] = await container.getVideoTracks();
  if (video === undefined) throw new ContainerError("The file has no video track.");
  const plan = inWholeTicks(options.plan);
  const { shiftTicks } = await ShownTime.of(options);
  const tracks = [videoTrack(await pictureHeader(video, plan, source), plan, rendered)];
  const sounds = options.isMuted ? [] : await container.getAudioTracks();
  for (const sound of sounds) {
    const codec = await sound.getCodec();
    if (!fitsMp4(codec)) continue;
    const header = await soundHeader(sound, codec, tracks.length + 1);
    const stsd = header === undefined ? undefined : cleanSoundDescription(header.stsd);
    if (header === undefined || stsd === undefined) continue;
    const { muting } = options;
    tracks.push(await soundTrack({ sound, header: { ...header, stsd }, codec, source, shiftTicks, muting }));
  }
  const movie = { ticksPerSecond: MOVIE_TICKS_PER_SECOND, matrix: turnMatrix(0, { width: 0, height: 0 }) };
  yield* writtenMovie({ movie, isQuickTime: false, tracks });
}

/** An MP4 counts a whole number of ticks per second (ISO/IEC 14496-12 §8.4.2). */
function inWholeTicks(plan: VideoPlan): VideoPlan {
  if (Number.isInteger(plan.ticksPerSecond)) return plan;
  const scale = FINE_TICKS_PER_SECOND / plan.ticksPerSecond;
  return {
    ...plan,
    ticksPerSecond: FINE_TICKS_PER_SECOND,
    frameTicks: plan.frameTicks.map((tick) => Math.round(tick * scale)),
    lastFrameTicks: Math.round(plan.lastFrameTicks * scale),
  };
}

async function pictureHeader(
  video: InputVideoTrack,
  plan: VideoPlan,
  source: MatroskaHeader,
): Promise<TrackHeader> {
  const { widthPixels: width, heightPixels: height, rotationDegrees, crop } = plan;
  const shape =
    crop === undefined
      ? { width: await video.getSquarePixelWidth(), height: await video.getSquarePixelHeight() }
      : croppedShape(source, video.id, { width, height });
  const tkhd = concatBytes([
    u32(3, 0, 0, 1, 0, 0, 0, 0),
    u16(0, 0, 0, 0),
    turnMatrix(rotationDegrees, shape),
    u32(shape.width * 0x10000, shape.height * 0x10000),
  ]);
  const pasp = box("pasp", u32(...ratio(shape.width * height, shape.height * width)));
  const colr = colourBox(await video.getColorSpace());
  const entry = box("avc1", new Uint8Array(78), ...(colr === undefined ? [] : [colr]), pasp);
  return {
    id: 1,
    handler: "vide",
    tkhd,
    language: languageNumber(await video.getLanguageCode()),
    ticksPerSecond: plan.ticksPerSecond,
    edits: [],
    stsd: concatBytes([u32(0, 1), entry]),
    sampleGroups: [],
  };
}

/**
 * Size of a cropped picture in square pixels. Display sizes describe the picture after cropping (RFC 9559 §5.1.4.1.28.12), but
 * mediabunny applies them to the whole picture.
 */
function croppedShape(
  { tracks }: MatroskaHeader,
  trackId: number,
  { width, height }: { width: number; height: number },
): { width: number; height: number } {
  const entry = tracks.find(({ number }) => number === trackId);
  const picture = entry?.elements.find(({ id }) => id === EBML_IDS.video);
  const fields = elementsOf(picture?.content ?? new Uint8Array(0));
  const declared = (wanted: number): number =>
    numberOf(fields.find(({ id }) => id === wanted)?.content ?? new Uint8Array(0));
  const across = declared(EBML_IDS.displayWidth) * height;
  const down = declared(EBML_IDS.displayHeight) * width;
  if (across === 0 || down === 0 || declared(EBML_IDS.displayUnit) === UNKNOWN_UNIT) return { width, height };
  return across > down
    ? { width: Math.round((width * across) / down), height }
    : { width, height: Math.round((height * down) / across) };
}

/** How a player rotates a track, clockwise (ISO/IEC 14496-12 §8.3.2). */
function turnMatrix(
  rotationDegrees: VideoPlan["rotationDegrees"],
  { width, height }: { width: number; height: number },
): Uint8Array {
  const [a, b, c, d, x, y] = {
    0: [1, 0, 0, 1, 0, 0],
    90: [0, 1, -1, 0, height, 0],
    180: [-1, 0, 0, -1, width, height],
    270: [0, -1, 1, 0, 0, width],
  }[rotationDegrees].map((value) => value * 0x10000);
  return u32(a ?? 0, b ?? 0, 0, c ?? 0, d ?? 0, 0, x ?? 0, y ?? 0, 0x40000000);
}

const UNSPECIFIED = 2;

function colourBox(colours: Colours): Uint8Array | undefined {
  const { primaries, transfer, matrix, isFullRange } = colourNumbers(colours);
  if ((primaries ?? transfer ?? matrix) === undefined) return undefined;
  const values = [primaries, transfer, matrix].map((value) => value ?? UNSPECIFIED);
  const range = Uint8Array.of(isFullRange === true ? 0x80 : 0);
  return box("colr", textBytes("nclx"), u16(...values), range);
}

function ratio(first: number, second: number): [number, number] {
  let [a, b] = [first, second];
  while (b > 0) [a, b] = [b, a % b];
  return a > 0 ? [first / a, second / a] : [1, 1];
}

/** Three letters in five bits each (ISO/IEC 14496-12 §8.4.2). */
function languageNumber(language: string): number {
  const letters = /^[a-z]{3}$/.test(language) ? language : "und";
  return textBytes(letters).reduce((value, letter) => value * 32 + letter - 0x60, 0);
}

/** How many packets are enough to describe a track. */
const DESCRIBING_PACKETS = 8;
const DESCRIBING_SECONDS = 0.02;

/** An audio track's header as mediabunny writes it; undefined if it cannot write one. */
async function soundHeader(
  sound: InputAudioTrack,
  codec: AudioCodec,
  id: number,
): Promise<TrackHeader | undefined> {
  const decoderConfig = await reading(async () => await sound.getDecoderConfig());
  if (decoderConfig === null) return undefined;
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  let packets = 0;
  await reading(async () => {
    await output.start();
    for await (const packet of packetsOf(sound)) {
      // Only the packets' content matters here, so their times are made up.
      const times = { timestamp: packets * DESCRIBING_SECONDS, duration: DESCRIBING_SECONDS };
      await source.add(packet.clone(times), { decoderConfig });
      if (++packets === DESCRIBING_PACKETS) break;
    }
    await output.finalize();
  });
  if (packets === 0) return undefined;
  const movie = new Uint8Array(target.buffer ?? new ArrayBuffer(0));
  const { tracks } = await readMovieHeader(async (start, end) => movie.slice(start, end), movie.length);
  const [header] = tracks;
  if (header === undefined) return undefined;
  const language = languageNumber(await sound.getLanguageCode());
  return {
    ...header,
    id,
    language,
    ticksPerSecond: await sound.getSampleRate(),
    edits: [],
    sampleGroups: [],
  };
}

/** An audio track's packets, unchanged and at their original times. */
async function soundTrack({
  sound,
  header,
  codec,
  source,
  shiftTicks,
  muting,
}: {
  sound: InputAudioTrack;
  header: TrackHeader;
  codec: AudioCodec;
  source: MatroskaHeader;
  shiftTicks: number;
  muting: SoundMuting | undefined;
}): Promise<OutputTrack> {
  const tickSeconds = source.timestampScale / NANOSECONDS;
  const entry = source.tracks.find(({ number }) => number === sound.id);
  const delay = delaySeconds(entry) - shiftTicks * tickSeconds;
  const frameBytes = pcmFrameBytes(codec, await sound.getNumberOfChannels());
  const timed: TimedPacket[] = [];
  const sourceBytes: number[] = [];
  let last: EncodedPacket | undefined;
  for await (const packet of packetsOf(sound, { isWithoutData: true })) {
    const samples = frameBytes === undefined ? undefined : packet.byteLength / frameBytes;
    timed.push({ seconds: packet.timestamp - delay, samples });
    sourceBytes.push(packet.byteLength);
    last = packet;
  }
  const shownTicks = steadyTicks(timed, { samplesPerSecond: header.ticksPerSecond, tickSeconds });
  const lastSampleTicks = timed.at(-1)?.samples ?? lastDuration(shownTicks, last, header.ticksPerSecond);
  const startsSeconds = timed.map(({ seconds }) => seconds);
  const endSeconds = (startsSeconds.at(-1) ?? 0) + lastSampleTicks / header.ticksPerSecond;
  const times = { startsSeconds, endSeconds };
  const muted = await muting?.ofTrack({ track: sound, times, heard: heardWhole(0) });
  if (muted?.kind === "track")
    return await silentMovieTrack(muted.silent, {
      header,
      spans: wholeTrack(shownTicks, lastSampleTicks).spans,
    });
  const muter = muted?.muter;
  const sizesBytes = muter?.sizesBytes(sourceBytes) ?? sourceBytes;
  const packets = dataOf(sound, muter);
  return {
    samples: {
      header,
      frameBytes: frameBytes && frameBytesOf(sizesBytes, shownTicks, lastSampleTicks),
      stsd: header.stsd,
      ...wholeTrack(shownTicks, lastSampleTicks),
      sizesBytes,
      keepsSampleGroups: false,
    },
    async nextSample() {
      const next = await packets.next();
      if (next.done === true) throw new ContainerError("An audio track has lost packets.");
      return next.value;
    },
  };
}

/** If the container does not declare it, the last packet lasts as long as the one before it. */
function lastDuration(
  ticks: readonly number[],
  last: EncodedPacket | undefined,
  ticksPerSecond: number,
): number {
  const before = (ticks.at(-1) ?? 0) - (ticks.at(-2) ?? ticks.at(-1) ?? 0);
  return before > 0 ? before : Math.round((last?.duration ?? 0) * ticksPerSecond);
}

/** Bytes of one PCM frame (one sample of every channel); undefined for compressed audio. */
function pcmFrameBytes(codec: AudioCodec, channels: number): number | undefined {
  const bits = /^pcm-[sf](\d+)/.exec(codec)?.[1];
  return bits === undefined ? undefined : (Number(bits) / 8) * channels;
}
