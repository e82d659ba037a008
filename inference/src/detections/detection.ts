import type { Category } from "./categories.ts";
import type { Box, Point } from "../geometry/box.ts";

/** The part of a frame that a second look needs after the frame itself has been freed. */
export interface Crop {
  /** The window around the box, [side, side, 3] in bytes. */
  readonly pixels: Uint8Array;
  /** Left, top, right and bottom in 0…1 of the window. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
}

/** Something found in a frame; coordinates in 0…1 of the upright picture unless said otherwise. */
export interface Detection {
  readonly category: Category;
  /** 0…1. */
  readonly confidence: number;
  readonly box: Box;
  /** Whether it is below the requested threshold and reported as a candidate. */
  readonly isCandidate?: boolean;
  /** In a frame of a video: what a second look judges after all frames of the request have been analyzed. */
  readonly crop?: Crop;
  /** In a frame of a video: the confidence of both looks together, 0…1, if the second one judged it. `confidence` is stage one's. */
  readonly secondLook?: number;
  /** Corners, where the shape is known better than by its box. */
  readonly polygon?: readonly Point[];
}
