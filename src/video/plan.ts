import { z } from "zod";

/** Frames that are decoded and encoded by themselves, from a key frame on. Frames count in presentation order. */
const segmentSchema = z.object({
  firstFrame: z.int().min(0),
  frames: z.int().min(1),
  /** Presentation time of its key packet, by which the packet is found again. */
  keyTick: z.int(),
  /**
   * Whether frames shown before the next segment's key frame come after it in the file and need it (an open group of
   * pictures): it is decoded along then.
   */
  needsNextKey: z.boolean(),
});

/** What is worked out once of a video: its frames' times and how they are cut into segments. */
export const videoPlanSchema = z.object({
  codec: z.enum(["avc", "hevc", "vp8", "vp9"]),
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
  readonly code: "no_frames" | "no_key_frame" | "timestamps_repeat";

  constructor(code: PlanError["code"]) {
    super(`The video cannot be planned: ${code}.`);
    this.code = code;
  }
}

/**
 * Cuts a video's frames into segments of at least `segmentTicks`, each from a key frame up to the next segment's.
 *
 * In an open group of pictures, frames that follow a key frame in the file are shown before it and refer to what is
 * before it: they belong to the segment before (ITU-T H.265 §3.79, leading pictures).
 *
 * @throws PlanError
 */
export function cutIntoSegments(
  packets: readonly PacketTime[],
  segmentTicks: number,
): { frameTicks: number[]; segments: VideoSegment[] } {
  const [first] = packets;
  if (first === undefined) throw new PlanError("no_frames");
  if (!first.isKey) throw new PlanError("no_key_frame");
  const frameTicks = packets.map(({ tick }) => tick).sort((a, b) => a - b);
  if (frameTicks.some((tick, index) => index > 0 && tick === frameTicks[index - 1])) {
    throw new PlanError("timestamps_repeat");
  }
  const keys = cutKeys(packets, segmentTicks);
  const segments = keys.map(({ tick }, index): VideoSegment => {
    // The first segment takes along whatever is shown before its key frame: nothing else could.
    const firstFrame = index === 0 ? 0 : lowerBound(frameTicks, tick);
    const next = keys[index + 1];
    const end = next === undefined ? frameTicks.length : lowerBound(frameTicks, next.tick);
    return {
      firstFrame,
      frames: end - firstFrame,
      keyTick: tick,
      needsNextKey: next?.hasLeading ?? false,
    };
  });
  return { frameTicks, segments };
}

interface CutKey {
  readonly tick: number;
  hasLeading: boolean;
}

/** The key frames at which segments begin. Key frames out of presentation order are none. */
function cutKeys(packets: readonly PacketTime[], segmentTicks: number): CutKey[] {
  const cuts: CutKey[] = [];
  let highest = -Infinity;
  for (const { tick, isKey } of packets) {
    const current = cuts.at(-1);
    if (current === undefined || (isKey && tick > highest && tick - current.tick >= segmentTicks)) {
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
