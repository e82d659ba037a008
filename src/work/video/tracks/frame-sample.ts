import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/** `[x, y]` in 0…1 of the stored, unrotated frame. */
export type Point = readonly [x: number, y: number];

/** `[left, top, width, height]` in 0…1 of the stored, unrotated frame. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** A detector's result for one object in one frame. */
export interface FrameDetection {
  readonly category: RedactionCategory;
  /** 0…1. */
  readonly confidence: number;
  readonly box: Box;
  readonly polygon?: readonly Point[] | undefined;
  /** Whether a second look confirms the category; undefined if no second look was taken. */
  readonly confirmed?: boolean | undefined;
}

/** A frame that the detector has analyzed. Frames count in presentation order from 0. */
export interface FrameSample {
  readonly frameIndex: number;
  readonly detections: readonly FrameDetection[];
}

/** When a frame is shown: strictly later than the frame before it. The intervals may vary. */
export interface FrameTiming {
  readonly timestampSeconds: number;
}
