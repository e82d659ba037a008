import type { Category } from "../categories.ts";
import type { Picture } from "../images/decode.ts";
import type { Detection } from "./detection.ts";

/** A model that finds some categories in pictures. */
export interface Finder {
  readonly manifest: { id: string; version: string; sha256: string; licence: string };
  readonly categories: readonly Category[];
  /** How much waits for the model. */
  readonly waiting: number;
  /**
   * Looks for the categories asked for, of those this model serves; coordinates in 0…1 of the picture.
   * @param minConfidence Replaces the manifest's thresholds, down to its floor.
   * @throws ServiceError `cancelled` when the signal fires.
   */
  find: (
    picture: Picture,
    asked: readonly Category[],
    minConfidence: number | undefined,
    signal: AbortSignal,
  ) => Promise<Detection[]>;
}
