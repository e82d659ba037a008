import { z } from "zod";

/** Frames that are decoded and encoded by themselves, from a key frame on. Frames count in presentation order. */
const segmentSchema = z.object({
  firstFrame: z.int().min(0),
  frames: z.int().min(1),
  /** Presentation time of the key packet that decoding begins with, by which the packet is found again. */
  keyTick: z.int(),
  /** How many frames are decoded before its first: those of a long group of pictures that earlier segments have. */
  leadFrames: z.int().min(0),
  /**
   * Whether frames shown before the next segment's key frame come after it in the file and need it (an open group of
   * pictures): it is decoded along then.
   */
  needsNextKey: z.boolean(),
});

/** What is worked out once of a video: its frames' times and how they are cut into segments. */
export const videoPlanSchema = z.object({
  codec: z.enum(["avc", "hevc", "vp8", "vp9", "av1", "mjpeg", "mpeg4"]),
  widthPixels: z.int().min(1),
  heightPixels: z.int().min(1),
  /** How a player turns the frames: clockwise, then mirrored left to right. */
  rotationDegrees: z.literal([0, 90, 180, 270]),
  isFlipped: z.boolean(),
  ticksPerSecond: z.number().positive(),
  /** When each frame is shown, in ticks, ascending. */
  frameTicks: z.array(z.int()).min(1),
  /** How long the last frame is shown, in ticks. */
  lastFrameTicks: z.int().min(0),
  averageBitsPerSecond: z.number().min(0),
  /** Size of the source as it is stored, where that is not what was uploaded. */
  storedBytes: z.int().min(0).optional(),
  segments: z.array(segmentSchema).min(1),
});

export type VideoPlan = z.output<typeof videoPlanSchema>;
export type VideoSegment = z.output<typeof segmentSchema>;

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

/**
 * Cuts a video's frames into segments, each from a key frame up to the next segment's, or part of the way.
 *
 * In an open group of pictures, frames that follow a key frame in the file are shown before it and refer to what is
 * before it: they belong to the segment before (ITU-T H.265 §3.79, leading pictures).
 *
 * @throws PlanError
 */
export function cutIntoSegments(
  packets: readonly PacketTime[],
  limits: SegmentLimits,
): { frameTicks: number[]; segments: VideoSegment[] } {
  const [first] = packets;
  if (first === undefined) throw new PlanError("no_frames");
  if (!first.isKey) throw new PlanError("no_key_frame");
  const frameTicks = packets.map(({ tick }) => tick).sort((a, b) => a - b);
  if (frameTicks.some((tick, index) => index > 0 && tick === frameTicks[index - 1])) {
    throw new PlanError("timestamps_repeat");
  }
  const keys = cutKeys(packets, { leastTicks: limits.leastTicks, endTick: frameTicks.at(-1) ?? 0 });
  const segments = keys.flatMap(({ tick }, index): VideoSegment[] => {
    // The first segment takes along whatever is shown before its key frame: nothing else could.
    const firstFrame = index === 0 ? 0 : lowerBound(frameTicks, tick);
    const next = keys[index + 1];
    const end = next === undefined ? frameTicks.length : lowerBound(frameTicks, next.tick);
    return partsOf(
      {
        firstFrame,
        frames: end - firstFrame,
        keyTick: tick,
        leadFrames: 0,
        needsNextKey: next?.hasLeading ?? false,
      },
      limits,
    );
  });
  return { frameTicks, segments };
}

function partsOf(segment: VideoSegment, { mostFrames, mostLeadFrames }: SegmentLimits): VideoSegment[] {
  const { firstFrame, frames } = segment;
  const partFrames = Math.min(mostFrames, Math.max(WHOLE_FRAMES, Math.ceil(frames / MOST_PARTS)));
  const parts = Math.ceil(frames / partFrames);
  if ((parts - 1) * partFrames > mostLeadFrames) throw new PlanError("group_of_pictures_too_long");
  return Array.from({ length: parts }, (_, part): VideoSegment => {
    const leadFrames = part * partFrames;
    return {
      ...segment,
      firstFrame: firstFrame + leadFrames,
      frames: Math.min(partFrames, frames - leadFrames),
      leadFrames,
    };
  });
}

interface CutKey {
  readonly tick: number;
  hasLeading: boolean;
}

/** The key frames at which segments begin. Key frames out of presentation order are none. */
function cutKeys(
  packets: readonly PacketTime[],
  { leastTicks, endTick }: { leastTicks: number; endTick: number },
): CutKey[] {
  const cuts: CutKey[] = [];
  // What two processes render side by side ends together when the last pieces are small.
  const shortest = ({ tick }: CutKey): number => (endTick - tick <= leastTicks ? leastTicks / 2 : leastTicks);
  let highest = -Infinity;
  for (const { tick, isKey } of packets) {
    const current = cuts.at(-1);
    if (current === undefined || (isKey && tick > highest && tick - current.tick >= shortest(current))) {
      cuts.push({ tick, hasLeading: false });
    } else if (tick < current.tick && cuts.length > 1) {
      current.hasLeading = true;
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
