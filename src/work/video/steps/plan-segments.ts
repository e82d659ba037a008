import type { InputVideoTrack } from "mediabunny";
import { JobError } from "../../../ground/platform/job-error.ts";
import { sourceKey } from "../../../records/media/media.objects.ts";
import type { MediaOwnership, MediaRow } from "../../../records/media/media.repository.ts";
import type { VideoEnv } from "../../../ground/platform/env.ts";
import { openSource, type OpenSource } from "../containers/open-container.ts";
import { objectRanges, StorageReadError } from "../containers/stored-ranges.ts";
import { withoutLostPictures } from "../containers/leading-pictures.ts";
import type { ShownTrackTime } from "../containers/shown-span.ts";
import { shownAreaOf } from "../containers/cropped-frame.ts";
import { isCropped, type ShownArea } from "../containers/shown-area.ts";
import { ShownTime } from "../containers/shown-time.ts";
import { pictureCodecOf, isReordered } from "../containers/picture-codec.ts";
import { checkDecoder } from "../engine/engine-for.ts";
import { packetsOf, tickOf } from "../containers/track-packets.ts";
import {
  cutIntoSegments,
  PlanError,
  videoPlanSchema,
  type PacketTime,
  type VideoPlan,
} from "../tasks/video-plan.ts";
import { SEGMENT_SECONDS } from "./segment-length.ts";

/**
 * CPU seconds that a frame costs, as measured on a slow core: for decoding alone, and for all work on it. A Worker has five
 * minutes of CPU time per invocation. The last two numbers divide it between the lead frames before a segment and the segment's
 * own frames.
 */
const DECODE_SECONDS_PER_PIXEL = 2.1e-9;
const DECODE_SECONDS_PER_BIT = 36e-9;
const WORK_SECONDS_PER_PIXEL = 35e-9;
const MOST_LEAD_SECONDS = 180;
const MOST_WORK_SECONDS = 100;

/** A video's plan, and whether its counted duration differs clearly from the one that its container declared. */
interface PlannedVideo {
  readonly plan: VideoPlan;
  readonly isMisdeclared: boolean;
}

/**
 * Reads the times of all packets of a claimed video and splits the video into segments.
 *
 * @param stored the media item that holds the source, and the stored size of the source
 * @throws JobError when the video cannot be processed, StorageReadError when it cannot be read at the moment
 */
export async function planVideo(
  config: VideoEnv,
  row: MediaRow,
  { source: owned, storedBytes }: { readonly source: MediaOwnership; readonly storedBytes: number },
): Promise<PlannedVideo> {
  let source: OpenSource | undefined;
  try {
    source = await openSource(objectRanges(config.MEDIA, sourceKey(owned)), storedBytes);
    const { container } = source;
    const [track] = await container.getVideoTracks();
    if (track === undefined) throw new JobError("source_changed", true);
    const shownTime = await ShownTime.of(source);
    const planned = await planTrack(track, {
      area: await shownAreaOf(track, shownTime.headers),
      shown: shownTime.ofTrack(track),
      maxSeconds: config.MAX_VIDEO_SECONDS,
      maxFramesPerSecond: config.MAX_VIDEO_FRAMES_PER_SECOND,
      isTimeless: source.kind === "avi",
      checkDecoder: async (codec) => {
        await checkDecoder(config, codec);
      },
    });
    const plan = storedBytes === row.fileSizeBytes ? planned : { ...planned, storedBytes };
    return {
      plan,
      isMisdeclared: await isMisdeclared(plan, { container, shownTime }, row.durationSeconds ?? 0),
    };
  } catch (error) {
    if (error instanceof PlanError) throw new JobError(`plan_${error.code}`, true, error);
    if (error instanceof JobError || error instanceof StorageReadError) throw error;
    throw new JobError("source_unreadable", true, error);
  } finally {
    source?.container.dispose();
  }
}

/** An uncompressed frame of 1920×1088 pixels has 3 MB. */
const MOST_PACKET_BYTES = 16 * 1024 * 1024;
/** Timestamps in milliseconds turn 60 frames per second into slightly more or less. */
const TOLERANCE = 1.01;
/** The first frames of a video may exceed the frame rate limit. */
const FRAMES_BEFORE_RATE = 120;

async function planTrack(
  track: InputVideoTrack,
  limits: {
    area: ShownArea;
    maxSeconds: number;
    maxFramesPerSecond: number;
    shown: ShownTrackTime;
    /** Whether the container stores no timestamps, so that frames are shown in storage order. */
    isTimeless: boolean;
    /** @throws JobError when no decoder for a codec exists */
    checkDecoder(codec: VideoPlan["codec"]): Promise<void>;
  },
): Promise<VideoPlan> {
  const mostFrames = (seconds: number): number =>
    FRAMES_BEFORE_RATE + TOLERANCE * limits.maxFramesPerSecond * seconds;
  const ticksPerSecond = await track.getTimeResolution();
  const codec = videoPlanSchema.shape.codec.safeParse(await pictureCodecOf(track)).data;
  if (codec === undefined) throw new JobError("source_changed", true);
  await limits.checkDecoder(codec);
  let packets: PacketTime[] = [];
  let sizeBytes = 0;
  let lastTick = -Infinity;
  let lastFrameTicks = 0;
  for await (const packet of packetsOf(track, { isWithoutData: !limits.isTimeless })) {
    if (limits.isTimeless && isReordered(codec, packet.data)) throw new JobError("source_undecodable", true);
    const tick = tickOf(packet, ticksPerSecond);
    if (packet.byteLength > MOST_PACKET_BYTES) throw new JobError("source_unreadable", true);
    if (packets.length >= mostFrames(limits.maxSeconds)) throw new JobError("frames_over_limit", true);
    packets.push({ tick, isKey: packet.type === "key" });
    sizeBytes += packet.byteLength;
    if (tick > lastTick) {
      lastTick = tick;
      lastFrameTicks = Math.round(packet.duration * ticksPerSecond);
    }
  }
  const { width, height, ...crop } = limits.area;
  const pixels = crop.codedWidth * crop.codedHeight;
  const bits = (8 * sizeBytes) / Math.max(1, packets.length);
  const decodeSeconds = pixels * DECODE_SECONDS_PER_PIXEL + bits * DECODE_SECONDS_PER_BIT;
  packets = await withoutLostPictures(packets, { track, codec, ticksPerSecond });
  const cut = cutIntoSegments(
    packets,
    {
      leastTicks: SEGMENT_SECONDS * ticksPerSecond,
      mostFrames: Math.floor(MOST_WORK_SECONDS / (pixels * WORK_SECONDS_PER_PIXEL)),
      mostLeadFrames: Math.floor(MOST_LEAD_SECONDS / decodeSeconds),
    },
    limits.shown,
  );
  const { frameTicks } = cut;
  const { endTick = Infinity, shiftTicks = 0 } = limits.shown.spans.at(-1) ?? {};
  lastFrameTicks = Math.min(lastFrameTicks, endTick + shiftTicks - (frameTicks.at(-1) ?? 0));
  const seconds = durationSecondsOf({ frameTicks, lastFrameTicks, ticksPerSecond });
  if (seconds > TOLERANCE * limits.maxSeconds) throw new JobError("duration_over_limit", true);
  if (frameTicks.length > mostFrames(seconds)) throw new JobError("frames_over_limit", true);
  return {
    codec,
    widthPixels: width,
    heightPixels: height,
    ...(isCropped(limits.area) ? { crop } : {}),
    rotationDegrees: await track.getRotation(),
    isFlipped: await track.getFlip(),
    ticksPerSecond,
    ...cut,
    lastFrameTicks,
    averageBitsPerSecond: seconds > 0 ? (bits * frameTicks.length) / seconds : 0,
  };
}

/** Containers round durations, and some do not declare how long the last frame lasts. */
const DURATION_TOLERANCE_SECONDS = 0.5;
const DURATION_TOLERANCE_SHARE = 0.01;

/** Whether neither the frames nor the audio of a video end approximately where its container declared. */
async function isMisdeclared(
  plan: VideoPlan,
  { container, shownTime }: Pick<OpenSource, "container"> & { shownTime: ShownTime },
  declaredSeconds: number,
): Promise<boolean> {
  const tolerance = Math.max(DURATION_TOLERANCE_SECONDS, DURATION_TOLERANCE_SHARE * declaredSeconds);
  const isNear = (seconds: number): boolean => Math.abs(seconds - declaredSeconds) <= tolerance;
  const frameSeconds = durationSecondsOf(plan);
  // Some containers count from zero, others from the first frame.
  const startSeconds = (plan.frameTicks[0] ?? 0) / plan.ticksPerSecond;
  if (isNear(frameSeconds) || isNear(startSeconds + frameSeconds)) return false;
  for (const track of await container.getAudioTracks()) {
    const packetsEndSeconds = await track.computeDuration({ metadataOnly: true });
    const ticksPerSecond = await track.getTimeResolution();
    if (isNear(shownTime.endSeconds(track, packetsEndSeconds, ticksPerSecond))) return false;
  }
  return true;
}

/** How long the planned frames are shown. */
export function durationSecondsOf(
  plan: Pick<VideoPlan, "frameTicks" | "lastFrameTicks" | "ticksPerSecond">,
): number {
  const first = plan.frameTicks[0] ?? 0;
  const last = plan.frameTicks.at(-1) ?? first;
  return (last - first + plan.lastFrameTicks) / plan.ticksPerSecond;
}
