import { z } from "zod";
import type { ShownArea } from "../containers/shown-area.ts";
import { EVERYTHING, type ShownSpan, type ShownTrackTime } from "../containers/shown-span.ts";

/** Frames that are decoded and encoded separately, from a key frame on. Frames are numbered in presentation order. */
const segmentSchema = z.object({
  firstFrame: z.int().min(0),
  frames: z.int().min(1),
  /** Time of the key packet where decoding begins, which identifies the packet. */
  keyTick: z.int(),
  /**
   * How many frames are decoded before its first: hidden frames, and frames of a long group of pictures that belong to earlier
   * segments.
   */
  leadFrames: z.int().min(0),
  /** Times of the packets that an edit list hides and that are decoded before all others, in ascending order; none if absent. */
  hiddenTicks: z.array(z.int()).optional(),
});

/** The plan of a video: its frames' times and its segments. It is made once. */
export const videoPlanSchema = z.object({
  codec: z.enum(["avc", "hevc", "vp8", "vp9", "av1", "mjpeg", "mpeg4"]),
  /** Size of the shown area of the frames. */
  widthPixels: z.int().min(1),
  heightPixels: z.int().min(1),
  /** Coded size of the frames and position of the shown area in them; absent if everything is shown. */
  crop: z
    .object({
      left: z.int().min(0),
      top: z.int().min(0),
      codedWidth: z.int().min(1),
      codedHeight: z.int().min(1),
    })
    .optional(),
  /** How a player transforms the frames: rotated clockwise, then mirrored left to right. */
  rotationDegrees: z.literal([0, 90, 180, 270]),
  isFlipped: z.boolean(),
  ticksPerSecond: z.number().positive(),
  /** When each frame is shown, in ticks, in ascending order. */
  frameTicks: z.array(z.int()).min(1),
  /** Time of each frame's packet, which identifies the packet; absent if it equals the time when the frame is shown. */
  packetTicks: z.array(z.int()).optional(),
  /** How long the last frame is shown, in ticks. */
  lastFrameTicks: z.int().min(0),
  averageBitsPerSecond: z.number().min(0),
  /** Stored size of the source, if it differs from the upload's size. */
  storedBytes: z.int().min(0).optional(),
  segments: z.array(segmentSchema).min(1),
});

export type VideoPlan = z.output<typeof videoPlanSchema>;
export type VideoSegment = z.output<typeof segmentSchema>;

/** The coded size of a planned video's frames and their shown area. */
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

/** The properties of a video packet that the plan needs. Packets are in decode order. */
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

/** Limits on the length of segments and on the frames that are decoded before one. */
export interface SegmentLimits {
  /** The least duration of a segment, where key frames allow it. Within the last `leastTicks` of a video, half of it is enough. */
  readonly leastTicks: number;
  /** A group of pictures with more frames than this is split into parts. Each part is decoded from the group's beginning. */
  readonly mostFrames: number;
  readonly mostLeadFrames: number;
}

/** A long group is split into at most this many parts, unless the parts would be too long. Each part costs decoding from the start. */
const MOST_PARTS = 16;
/** A group of pictures with up to this many frames stays whole. */
const WHOLE_FRAMES = 600;

/** When a video's frames are shown, and how they are split into segments. */
type CutVideo = Pick<VideoPlan, "frameTicks" | "packetTicks" | "segments">;

/**
 * Splits a video's frames into segments. Each begins at a key frame and reaches to the next segment, or is a part of that
 * range. Frames that are not shown belong to no segment. If decoding needs them, they are decoded before a segment's first
 * frame.
 *
 * In an open group of pictures, some frames follow a key frame in the file but are shown before it and refer to frames before
 * it. They belong to the previous segment (ITU-T H.265 §3.79, leading pictures).
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

/** The ticks of the frames shown in a span. A frame is shown until the next one. */
function shownTicks(
  ticks: readonly number[],
  { startTick, endTick }: ShownSpan,
  tolerance: number,
): number[] {
  let first = lowerBound(ticks, startTick + tolerance);
  if (first > 0 && ticks[first] !== startTick + tolerance) first -= 1;
  return ticks.slice(first, Math.max(first, lowerBound(ticks, endTick - tolerance)));
}

/** The packets that are needed to decode consecutive frames, in decode order from a key frame on. */
function runOf(packets: readonly PacketTime[], shown: readonly number[]): readonly PacketTime[] {
  const firstTick = shown[0] ?? 0;
  const lastTick = shown.at(-1) ?? 0;
  const isShown = ({ tick }: PacketTime): boolean => tick >= firstTick && tick <= lastTick;
  const start = packets.findIndex(isShown);
  const key = packets.findLastIndex(({ tick, isKey }, index) => {
    return index <= start && isKey && tick <= firstTick;
  });
  const run = packets.slice(Math.max(0, key), packets.findLastIndex(isShown) + 1);
  // Frames that follow a key frame in the file but are shown before it cannot be decoded without the frames before the key
  // frame.
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
    // The first segment includes whatever is shown before its key frame, because no other segment could.
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

/** Times of the key frames at which segments begin. Key frames out of presentation order do not count. */
function cutKeys(
  packets: readonly PacketTime[],
  { leastTicks, endTick }: { leastTicks: number; endTick: number },
): number[] {
  const cuts: number[] = [];
  // If the last segments are short, two processes that render side by side finish at about the same time.
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

/** Index of the first value that is at least `wanted`. */
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
