import type { Input, InputTrack, InputVideoTrack } from "mediabunny";
import type { VideoFormat } from "../../../ground/vocabulary/media-values.ts";
import { matroskaOutput } from "./carried-sound.ts";
import type { ContainerKind } from "./container-kind.ts";
import { shownAreaOf } from "./cropped-frame.ts";
import { checkMatroskaElements } from "./matroska-limits.ts";
import { checkMovieTables } from "./movie-limits.ts";
import { openSource, type OpenSource } from "./open-container.ts";
import { pictureCodecOf, type PictureCodec, isReordered } from "./picture-codec.ts";
import { ShownTime } from "./shown-time.ts";
import { StorageReadError, type RangeReader } from "./stored-ranges.ts";
import { packetsOf } from "./track-packets.ts";

/** Limits on videos, in the units of the configuration. */
export interface VideoLimits {
  readonly maxLongSidePixels: number;
  readonly maxShortSidePixels: number;
  readonly maxFramesPerSecond: number;
  readonly maxDurationSeconds: number;
  /** Whether a decoder for AV1 exists. It is called only for an AV1 video. */
  decodesAv1(): Promise<boolean>;
}

/** A video's properties according to its container. */
export interface ProbedVideo {
  /** The format of the output. */
  readonly format: VideoFormat;
  readonly widthPixels: number;
  readonly heightPixels: number;
  readonly durationSeconds: number;
}

/** The reason why a file is rejected as a video; the message is a full sentence for the client. */
export class VideoProbeError extends Error {
  override readonly name = "VideoProbeError";
}

interface AcceptedCodecs {
  readonly names: string;
  readonly accepted: ReadonlySet<PictureCodec>;
  /** Whether AV1 is accepted too if a decoder for it exists. */
  readonly mayBeAv1: boolean;
}

const CODECS: Readonly<Record<ContainerKind, AcceptedCodecs>> = {
  movie: { names: "H.264 and H.265", accepted: new Set<PictureCodec>(["avc", "hevc"]), mayBeAv1: true },
  webm: { names: "VP8 and VP9", accepted: new Set<PictureCodec>(["vp8", "vp9"]), mayBeAv1: true },
  matroska: {
    names: "H.264, H.265, VP8 and VP9",
    accepted: new Set<PictureCodec>(["avc", "hevc", "vp8", "vp9"]),
    mayBeAv1: true,
  },
  avi: {
    names: "H.264, MPEG-4 part 2 and MJPEG",
    accepted: new Set<PictureCodec>(["avc", "mpeg4", "mjpeg"]),
    mayBeAv1: false,
  },
};

/** How many packets determine the frame rate. */
const RATE_PACKETS = 120;

/**
 * Opens a stored video, reads what its container declares, and checks it against the limits.
 *
 * @throws VideoProbeError when it cannot be opened, is not an accepted video, or exceeds a limit
 * @throws StorageReadError
 */
export async function probeVideo(
  file: { read: RangeReader; sizeBytes: number; format: VideoFormat },
  limits: VideoLimits,
): Promise<ProbedVideo> {
  let storageFault: unknown;
  const read: RangeReader = async (start, end) => {
    try {
      return await file.read(start, end);
    } catch (error) {
      storageFault = error;
      throw error;
    }
  };
  let source: OpenSource | undefined;
  try {
    source = await openSource(read, file.sizeBytes);
    const { kind, container } = source;
    const isMovie = kind === "movie" || kind === "avi";
    const checkTables = isMovie ? checkMovieTables : checkMatroskaElements;
    const descriptions = await checkTables(source.read, source.sizeBytes);
    if (descriptions > 1) {
      throw new VideoProbeError(
        `The video's coding changes within a track (${descriptions} sample descriptions); expected one.`,
      );
    }
    const found = await probeInput(source, CODECS[kind], limits);
    if (kind === "avi") await checkOrder(container);
    return { ...found, format: kind === "matroska" ? await matroskaOutput(container) : file.format };
  } catch (error) {
    if (storageFault !== undefined) {
      throw storageFault instanceof StorageReadError
        ? storageFault
        : new StorageReadError("The file could not be read.", { cause: storageFault });
    }
    if (error instanceof VideoProbeError) throw error;
    throw new VideoProbeError("The video cannot be opened: its container is damaged or not complete.", {
      cause: error,
    });
  } finally {
    source?.container.dispose();
  }
}

async function probeInput(
  source: OpenSource,
  { names, accepted, mayBeAv1 }: AcceptedCodecs,
  limits: VideoLimits,
): Promise<Omit<ProbedVideo, "format">> {
  const input = source.container;
  if (!(await input.canRead())) {
    throw new VideoProbeError("The video cannot be opened: its container is damaged or not complete.");
  }
  await checkTracks(await input.getTracks());
  const tracks = await input.getVideoTracks();
  const [track] = tracks;
  if (track === undefined) throw new VideoProbeError("The file has no video track.");
  if (tracks.length > 1) {
    throw new VideoProbeError(`The file has ${tracks.length} video tracks; expected one.`);
  }
  const codec = await pictureCodecOf(track);
  const isDecoded =
    codec !== null && (accepted.has(codec) || (codec === "av1" && mayBeAv1 && (await limits.decodesAv1())));
  if (!isDecoded) {
    const found = (await track.getCodec()) ?? String(await track.getInternalCodecId());
    throw new VideoProbeError(
      `The video's codec is ${found}; supported codecs are ${names}. Export it as H.264.`,
    );
  }
  const shownTime = await ShownTime.of(source);
  const area = await shownAreaOf(track, shownTime.headers);
  checkEdits(shownTime);
  const durationSeconds = await durationOf(input, track, shownTime);
  // The decoder decodes the whole coded frame, even if the video shows only a part of it.
  checkDeclared({ widthPixels: area.codedWidth, heightPixels: area.codedHeight, durationSeconds }, limits);
  if (area.width === 0 || area.height === 0)
    throw new VideoProbeError("The video's container crops its whole picture away.");
  await checkRate(track, limits);
  return { widthPixels: area.width, heightPixels: area.height, durationSeconds };
}

/** Reordered pictures usually occur among the first packets. Planning checks all packets. */
async function checkOrder(input: Input): Promise<void> {
  const [track] = await input.getVideoTracks();
  const codec = track && (await pictureCodecOf(track));
  if (track === undefined || codec === undefined || codec === null) return;
  let packets = 0;
  for await (const { data } of packetsOf(track)) {
    if (isReordered(codec, data)) {
      throw new VideoProbeError(
        "The AVI has B-frames, whose times an AVI cannot store. Export it as MP4 with H.264.",
      );
    }
    if (++packets === RATE_PACKETS) return;
  }
}

/** A person who trims a video makes fewer edits than this. */
const MOST_EDITS = 256;

function checkEdits({ mostEdits, hasOtherSpeeds }: ShownTime): void {
  if (mostEdits > MOST_EDITS) {
    throw new VideoProbeError(`The video's edit list has ${mostEdits} edits; the limit is ${MOST_EDITS}.`);
  }
  if (hasOtherSpeeds) {
    throw new VideoProbeError(
      "The video's edit list plays a part at another speed; expected normal speed. Export it again and upload the new file.",
    );
  }
}

/** Video and audio tracks together. */
const MOST_TRACKS = 64;

async function checkTracks(tracks: readonly InputTrack[]): Promise<void> {
  if (tracks.length > MOST_TRACKS) {
    throw new VideoProbeError(`The file has ${tracks.length} tracks; the limit is ${MOST_TRACKS}.`);
  }
  for (const track of tracks) {
    const entry = await track.getInternalCodecId();
    if (entry !== "encv" && entry !== "enca") continue;
    const what = entry === "encv" ? "pictures are" : "sound is";
    throw new VideoProbeError(`The video's ${what} encrypted; only unencrypted videos are supported.`);
  }
}

/** Checks the size and duration that a file declares. @throws VideoProbeError when one exceeds a limit */
export function checkDeclared(
  { widthPixels, heightPixels, durationSeconds }: Omit<ProbedVideo, "format">,
  { maxLongSidePixels, maxShortSidePixels, maxDurationSeconds }: VideoLimits,
): void {
  const longSide = Math.max(widthPixels, heightPixels);
  const shortSide = Math.min(widthPixels, heightPixels);
  if (shortSide === 0) throw new VideoProbeError("The video declares no pixels.");
  if (longSide > maxLongSidePixels || shortSide > maxShortSidePixels) {
    throw new VideoProbeError(
      `The video has ${widthPixels}×${heightPixels} pixels; the limit is ${maxLongSidePixels}×${maxShortSidePixels} in any orientation.`,
    );
  }
  if (durationSeconds > maxDurationSeconds) {
    throw new VideoProbeError(
      `The video lasts ${durationSeconds.toFixed(1)} seconds; the limit is ${maxDurationSeconds}.`,
    );
  }
}

/**
 * When the last track ends according to the container, or else when the video's last packet ends. Parts that edit lists cut off
 * do not count. A file without packets has a duration of 0.
 */
async function durationOf(input: Input, track: InputVideoTrack, shownTime: ShownTime): Promise<number> {
  const endOf = async (of: InputTrack, packetsEndSeconds: number): Promise<number> =>
    shownTime.endSeconds(of, packetsEndSeconds, await of.getTimeResolution());
  const ends: number[] = [];
  for (const each of await input.getTracks()) {
    const declared = await each.getDurationFromMetadata();
    if (declared !== null) ends.push(await endOf(each, declared));
  }
  if (ends.length === 0) ends.push(await endOf(track, await track.computeDuration({ metadataOnly: true })));
  const seconds = Math.max(...ends);
  return Number.isFinite(seconds) ? Math.round(Math.max(0, seconds) * 1000) / 1000 : 0;
}

async function checkRate(track: InputVideoTrack, { maxFramesPerSecond }: VideoLimits): Promise<void> {
  const { averagePacketRate } = await track.computePacketStats(RATE_PACKETS, { metadataOnly: true });
  // Timestamps in milliseconds turn 60 frames per second into slightly more or less.
  if (averagePacketRate > maxFramesPerSecond * 1.01) {
    throw new VideoProbeError(
      `The video has ${averagePacketRate.toFixed(1)} frames a second; the limit is ${maxFramesPerSecond}.`,
    );
  }
}
