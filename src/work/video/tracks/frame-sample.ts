import type { Detection } from "../../../ground/vocabulary/detection.schemas.ts";

/** A detection in a frame, and what a second look said of it. */
export interface FrameDetection extends Readonly<Omit<Detection, "candidate" | "second_look">> {
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
