import type { Category } from "../categories.ts";
import type { Picture } from "../images/decode.ts";
import type { Detection } from "./detection.ts";

/** What is asked about pictures. */
export interface Question {
  categories: readonly Category[];
  /** Replaces the models' thresholds, down to their floors. */
  minConfidence: number | undefined;
  /** Whether the look in the mirror is left out: the pictures are a video's, whose next frame is the second look. */
  isSingleLook: boolean;
}

/** A model that finds some categories in pictures. */
export interface Finder {
  readonly manifest: { id: string; version: string; sha256: string; licence: string };
  readonly categories: readonly Category[];
  /** How much waits for the model. */
  readonly waiting: number;
  /**
   * Looks for the categories asked for, of those this model serves; coordinates in 0…1 of the picture.
   * @throws ServiceError `cancelled` when the signal fires.
   */
  find: (picture: Picture, question: Question, signal: AbortSignal) => Promise<Detection[]>;
}
