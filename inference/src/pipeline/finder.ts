import type { Category } from "../categories.ts";
import type { Picture } from "../images/decode.ts";
import type { Specialist } from "../models/manifest.ts";
import type { Detection } from "./detection.ts";

/** Least confidence of some categories. */
export type Confidences = Readonly<Partial<Record<Category, number>>>;

/** What is asked about pictures. */
export interface Question {
  categories: readonly Category[];
  /** Replaces the models' thresholds of the categories it names, down to the models' floors. */
  minConfidence: Confidences;
  /** Whether the look in the mirror is left out: the pictures are a video's, whose next frame is the second look. */
  isSingleLook: boolean;
}

/** A model that finds some categories in pictures. */
export interface Finder {
  readonly manifest: {
    id: string;
    version: string;
    sha256: string;
    licence: string;
    thresholds: Confidences;
    confidence_floor: number;
    specialist?: Specialist | undefined;
  };
  readonly categories: readonly Category[];
  /** How much waits for the model. */
  readonly waiting: number;
  /**
   * Looks for the categories asked for, of those this model serves; coordinates in 0…1 of the picture.
   * @throws ServiceError `cancelled` when the signal fires.
   */
  find: (picture: Picture, question: Question, signal: AbortSignal) => Promise<Detection[]>;
}

/** From which confidence on a model reports a category when it is asked a question. */
export function thresholdOf(
  { manifest }: Pick<Finder, "manifest">,
  category: Category,
  { minConfidence }: Pick<Question, "minConfidence">,
): number {
  return Math.max(manifest.confidence_floor, minConfidence[category] ?? manifest.thresholds[category] ?? 1);
}
