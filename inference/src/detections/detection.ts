import type { Category } from "./categories.ts";
import type { Box, Point } from "../geometry/box.ts";

/** Something found in a frame; coordinates in 0…1 of the upright picture unless said otherwise. */
export interface Detection {
  readonly category: Category;
  /** 0…1. */
  readonly confidence: number;
  readonly box: Box;
  /** Whether it is under the threshold that was asked for, and told of as a candidate. */
  readonly isCandidate?: boolean;
  /** Corners, where the shape is known better than by its box. */
  readonly polygon?: readonly Point[];
}
