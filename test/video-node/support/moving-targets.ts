import type { RedactionCategory } from "../../../src/ground/vocabulary/categories.ts";
import { shapeOf } from "../../../src/pixels/redaction/regions/shapes.ts";
import type { Box } from "../../../src/pixels/geometry/box.ts";
import type { FrameSample, FrameTiming } from "../../../src/work/video/tracks/frame-sample.ts";
import { regionsAt, type Track } from "../../../src/work/video/tracks/track.ts";

/** An object that moves with constant acceleration. Units are frame widths and heights, and seconds. */
export interface MovingTarget {
  readonly category: RedactionCategory;
  readonly fromSeconds: number;
  readonly untilSeconds: number;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly speedX: number;
  readonly speedY: number;
  readonly accelerationX: number;
  readonly accelerationY: number;
  /** The share of its size by which it grows per second. */
  readonly growth: number;
}

/** The target's box at a time; undefined while it is absent. */
function boxAt(target: MovingTarget, seconds: number): Box | undefined {
  if (seconds < target.fromSeconds || seconds > target.untilSeconds) return undefined;
  const since = seconds - target.fromSeconds;
  const size = target.size * Math.exp(target.growth * since);
  const x = target.x + target.speedX * since + (target.accelerationX * since * since) / 2;
  const y = target.y + target.speedY * since + (target.accelerationY * since * since) / 2;
  return [x - size / 2, y - size / 2, size, size];
}

/** A deterministic detector that misses some targets and has errors of a share of their size. */
export function samplesOf(args: {
  targets: readonly MovingTarget[];
  frames: readonly FrameTiming[];
  everyFrames: number;
  missShare: number;
  noise: number;
  random: () => number;
}): FrameSample[] {
  const { targets, frames, everyFrames, missShare, noise, random } = args;
  return frames.flatMap(({ timestampSeconds }, frameIndex) => {
    if (frameIndex % everyFrames !== 0) return [];
    const detections = targets.flatMap((target) => {
      const box = visible(boxAt(target, timestampSeconds));
      if (box === undefined || random() < missShare) return [];
      const [x, y, width, height] = box;
      const off = (): number => noise * (random() + random() + random() - 1.5) * 2;
      return [
        {
          category: target.category,
          confidence: 0.4 + 0.6 * random(),
          box: [x + width * off(), y + height * off(), width * (1 + off()), height * (1 + off())] as const,
        },
      ];
    });
    return [{ frameIndex, detections }];
  });
}

/** An object at the frame's edge is not recognizable if less than this share of it is visible. */
const LEAST_VISIBLE = 0.25;

/** The part of a box within the frame. */
function visible(box: Box | undefined): Box | undefined {
  if (box === undefined) return undefined;
  const left = Math.max(0, box[0]);
  const top = Math.max(0, box[1]);
  const width = Math.min(1, box[0] + box[2]) - left;
  const height = Math.min(1, box[1] + box[3]) - top;
  const isRecognisable = width > 0 && height > 0 && width * height >= LEAST_VISIBLE * box[2] * box[3];
  return isRecognisable ? [left, top, width, height] : undefined;
}

const GRID = 24;
const SIZE_PX = 1000;

/** Share of a target's visible area that is hidden in a frame; undefined when there is none. */
export function coverageOf(
  target: MovingTarget,
  tracks: readonly Track[],
  frameIndex: number,
  seconds: number,
): number | undefined {
  const box = visible(boxAt(target, seconds));
  if (box === undefined) return undefined;
  const shapes = regionsAt(tracks, frameIndex).map((region) => shapeOf(region, SIZE_PX, SIZE_PX));
  let covered = 0;
  for (let j = 0; j < GRID; j++) {
    const y = (box[1] + ((j + 0.5) * box[3]) / GRID) * SIZE_PX;
    const spans = shapes.flatMap((shape) => [shape.spanInBand(y, y)]);
    for (let i = 0; i < GRID; i++) {
      const x = (box[0] + ((i + 0.5) * box[2]) / GRID) * SIZE_PX;
      if (spans.some((span) => span !== undefined && span[0] <= x && x <= span[1])) covered++;
    }
  }
  return covered / GRID ** 2;
}
