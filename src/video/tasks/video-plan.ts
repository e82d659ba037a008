import { z } from "zod";
import type { ShownArea } from "../containers/shown-area.ts";
import { EVERYTHING, type ShownSpan, type ShownTrackTime } from "../containers/shown-span.ts";

/** Frames that are decoded and encoded by themselves, from a key frame on. Frames count in presentation order. */
const segmentSchema = z.object({
  firstFrame: z.int().min(0),
  frames: z.int().min(1),
  /** Time of the key packet that decoding begins with, by which the packet is found again. */
  keyTick: z.int(),
  /** How many frames are decoded before its first: hidden ones, and those of a long group of pictures that earlier segments have. */
  leadFrames: z.int().min(0),
  /** Times of the packets that an edit list hides and that are decoded before all others, ascending; none when absent. */
  hiddenTicks: z.array(z.int()).optional(),
});

/** The plan of a video, made once: its frames' times and its segments. */
export const videoPlanSchema = z.object({
  codec: z.enum(["avc", "hevc", "vp8", "vp9", "av1", "mjpeg", "mpeg4"]),
  /** Size of what is shown of the frames. */
  widthPixels: z.int().min(1),
  heightPixels: z.int().min(1),
  /** Size of the frames as they are coded, and where in them is what is shown; absent where all is. */
  crop: z
    .object({
      left: z.int().min(0),
      top: z.int().min(0),
      codedWidth: z.int().min(1),
      codedHeight: z.int().min(1),
    })
    .optional(),
  /** How a player turns the frames: clockwise, then mirrored left to right. */
  rotationDegrees: z.literal([0, 90, 180, 270]),
  isFlipped: z.boolean(),
  ticksPerSecond: z.number().positive(),
  /** When each frame is shown, in ticks, ascending. */
  frameTicks: z.array(z.int()).min(1),
  /** Time of each frame's packet, by which it is found again, where that is not when the frame is shown. */
  packetTicks: z.array(z.int()).optional(),
  /** How long the last frame is shown, in ticks. */
  lastFrameTicks: z.int().min(0),
  averageBitsPerSecond: z.number().min(0),
  /** Size of the source as it is stored, where that is not what was uploaded. */
  storedBytes: z.int().min(0).optional(),
  segments: z.array(segmentSchema).min(1),
});

export type VideoPlan = z.output<typeof videoPlanSchema>;
export type VideoSegment = z.output<typeof segmentSchema>;

/** The frame properties that a planned video's container declares. */
export function areaOf({
  widthPixels: width,
  heightPixels: height,
  crop,
}: Pick<VideoPlan, "widthPixels" | "heightPixels" | "crop">): ShownArea {
  const { left, top, codedWidth, codedHeight } = crop ?? {
    left: 0,
    top: 0,
    codedWidth: width,
    codedHeight: height,
  };
  return { left, top, width, height, codedWidth, codedHeight };
}

/** A video packet as the plan needs it, in decode order. */
export interface PacketTime {
  readonly tick: number;
  readonly isKey: boolean;
}

/** Why a video cannot be planned. */
export class PlanError extends Error {
  override readonly name = "PlanError";
  readonly code: "no_frames" | "no_key_frame" | "timestamps_repeat" | "group_of_pictures_too_long";

  constructor(code: PlanError["code"]) {
    super(`The video cannot be planned: ${code}.`);
    this.code = code;
  }
}

/** How long segments may become, and how many frames may be decoded before one. */
export interface SegmentLimits {
  /** A segment is at least so long, where key frames allow it; those of the last so many ticks half as long. */
  readonly leastTicks: number;
  /** A group of pictures of more frames than this is cut in parts, each decoded from the group's beginning. */
  readonly mostFrames: number;
  readonly mostLeadFrames: number;
}

/** Long groups are cut in so many parts at most, unless the parts would be too long: each costs decoding from the start. */
const MOST_PARTS = 16;
/** A group of pictures of up to so many frames stays whole. */
const WHOLE_FRAMES = 600;

/** When a video's frames are shown, and how they are cut. */
type CutVideo = Pick<VideoPlan, "frameTicks" | "packetTicks" | "segments">;

/**
 * Cuts a video's frames into segments, each from a key frame up to the next segment's, or part of the way. What is not shown is in
 * none; where decoding needs it, it is decoded before a segment's first frame.
 *
 * In an open group of pictures, frames that follow a key frame in the file are shown before it and refer to what is
 * before it: they belong to the segment before (ITU-T H.265 §3.79, leading pictures).
 *
 * @throws PlanError
 */
export function cutIntoSegments(
  packets: readonly PacketTime[],
  limits: SegmentLimits,
  { spans, toleranceTicks }: ShownTrackTime = EVERYTHING,
): CutVideo {
  const [first] = packets;
  if (first === undefined) throw new PlanError("no_frames");
  if (!first.isKey) throw new PlanError("no_key_frame");
  const ticks = packets.map(({ tick }) => tick).sort((a, b) => a - b);
  if (ticks.some((tick, index) => index > 0 && tick === ticks[index - 1])) {
    throw new PlanError("timestamps_repeat");
  }
  const frameTicks: number[] = [];
  const packetTicks: number[] = [];
  const segments: VideoSegment[] = [];
  for (const span of spans) {
    const shown = shownTicks(ticks, span, toleranceTicks);
    if (shown.length === 0) continue;
    segments.push(...cutRun(runOf(packets, shown), { shown, limits, framesBefore: frameTicks.length }));
    for (const tick of shown) {
      packetTicks.push(tick);
      frameTicks.push(Math.max(tick, span.startTick) + span.shiftTicks);
    }
  }
  if (frameTicks.length === 0) throw new PlanError("no_frames");
  if (frameTicks.every((tick, index) => tick === packetTicks[index])) return { frameTicks, segments };
  return { frameTicks, packetTicks, segments };
}

/** The ticks that are shown in a span: a frame is shown until the next one. */
function shownTicks(
  ticks: readonly number[],
  { startTick, endTick }: ShownSpan,
  tolerance: number,
): number[] {
  let first = lowerBound(ticks, startTick + tolerance);
  if (first > 0 && ticks[first] !== startTick + tolerance) first -= 1;
  return ticks.slice(first, Math.max(first, lowerBound(ticks, endTick - tolerance)));
}

/** The packets that are needed to decode neighbouring frames, in decode order from a key frame on. */
function runOf(packets: readonly PacketTime[], shown: readonly number[]): readonly PacketTime[] {
  const firstTick = shown[0] ?? 0;
  const lastTick = shown.at(-1) ?? 0;
  const isShown = ({ tick }: PacketTime): boolean => tick >= firstTick && tick <= lastTick;
  const start = packets.findIndex(isShown);
  const key = packets.findLastIndex(({ tick, isKey }, index) => {
    return index <= start && isKey && tick <= firstTick;
  });
  const run = packets.slice(Math.max(0, key), packets.findLastIndex(isShown) + 1);
  // What is shown before a key frame and follows it in the file cannot be decoded without what is before the key frame.
  const keyTick = run[0]?.tick ?? 0;
  return key <= 0 ? run : run.filter(({ tick }) => tick >= keyTick);
}

function cutRun(
  run: readonly PacketTime[],
  { shown, limits, framesBefore }: { shown: readonly number[]; limits: SegmentLimits; framesBefore: number },
): VideoSegment[] {
  const ticks = run.map(({ tick }) => tick).sort((a, b) => a - b);
  const hidden = lowerBound(ticks, shown[0] ?? 0);
  const shownEnd = hidden + shown.length;
  const keys = cutKeys(run, { leastTicks: limits.leastTicks, endTick: shown.at(-1) ?? 0 });
  return keys.flatMap((tick, index): VideoSegment[] => {
    // The first segment takes along whatever is shown before its key frame: nothing else could.
    const start = index === 0 ? 0 : lowerBound(ticks, tick);
    const next = keys[index + 1];
    const end = next === undefined ? shownEnd : Math.min(shownEnd, lowerBound(ticks, next));
    const first = Math.max(start, hidden);
    if (end <= first) return [];
    const hiddenTicks = ticks.slice(start, first);
    return partsOf(
      {
        firstFrame: framesBefore + first - hidden,
        frames: end - first,
        keyTick: tick,
        leadFrames: hiddenTicks.length,
        ...(hiddenTicks.length === 0 ? {} : { hiddenTicks }),
      },
      limits,
    );
  });
}

function partsOf(segment: VideoSegment, { mostFrames, mostLeadFrames }: SegmentLimits): VideoSegment[] {
  const { firstFrame, frames, leadFrames } = segment;
  const partFrames = Math.min(mostFrames, Math.max(WHOLE_FRAMES, Math.ceil(frames / MOST_PARTS)));
  const parts = Math.ceil(frames / partFrames);
  if (leadFrames + (parts - 1) * partFrames > mostLeadFrames) {
    throw new PlanError("group_of_pictures_too_long");
  }
  return Array.from({ length: parts }, (_, part): VideoSegment => {
    const before = part * partFrames;
    return {
      ...segment,
      firstFrame: firstFrame + before,
      frames: Math.min(partFrames, frames - before),
      leadFrames: leadFrames + before,
    };
  });
}

/** Times of the key frames at which segments begin. Key frames out of presentation order are none. */
function cutKeys(
  packets: readonly PacketTime[],
  { leastTicks, endTick }: { leastTicks: number; endTick: number },
): number[] {
  const cuts: number[] = [];
  // What two processes render side by side ends together when the last pieces are small.
  const shortest = (tick: number): number => (endTick - tick <= leastTicks ? leastTicks / 2 : leastTicks);
  let highest = -Infinity;
  for (const { tick, isKey } of packets) {
    const current = cuts.at(-1);
    if (current === undefined || (isKey && tick > highest && tick - current >= shortest(current))) {
      cuts.push(tick);
    }
    highest = Math.max(highest, tick);
  }
  return cuts;
}

/** Index of the first value that is not below `wanted`. */
export function lowerBound(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
