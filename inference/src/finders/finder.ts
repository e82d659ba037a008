import type { Category } from "../detections/categories.ts";
import type { Picture } from "../images/decode.ts";
import type { Manifest, Specialist } from "../models/manifest.ts";
import { thresholdAt, type Sensitivity } from "../models/sensitivity.ts";
import type { Detection } from "../detections/detection.ts";

/** Least confidence of some categories. */
export type Confidences = Readonly<Partial<Record<Category, number>>>;

/** What is asked about pictures. */
export interface Question {
  readonly categories: readonly Category[];
  /** Which of the models' thresholds hold. */
  readonly sensitivity: Sensitivity;
  /** Replaces the models' thresholds of the categories it names, down to the models' floors. */
  readonly minConfidence: Confidences;
  /** Whether detections below the thresholds are also reported, as candidates, down to the models' floors. */
  readonly withCandidates: boolean;
  /** Whether the look in the mirror is left out: the pictures are a video's, whose next frame is the second look. */
  readonly isSingleLook: boolean;
}

/** A model that finds some categories in pictures. */
export interface Finder {
  readonly manifest: {
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly licence: string;
    readonly thresholds: Confidences;
    readonly sensitivities?: Manifest["sensitivities"];
    readonly confidence_floor: number;
    readonly specialist?: Specialist | undefined;
  };
  readonly categories: readonly Category[];
  /** How much waits for the model. */
  readonly waiting: number;
  /**
   * Looks for the categories asked for, of those this model serves; coordinates in 0…1 of the picture.
   * @throws ServiceError `cancelled` when the signal fires.
   */
  readonly find: (picture: Picture, question: Question, signal: AbortSignal) => Promise<Detection[]>;
  /**
   * Judges detections in consecutive frames of a video again, a few of each object.
   * @param frames The detections of each frame. The answer has the same ones without their crops.
   */
  readonly lookAgain?: (frames: readonly (readonly Detection[])[]) => Promise<Detection[][]>;
}

/** From which confidence on a model's finds of a category count. */
export function thresholdOf(
  { manifest }: Pick<Finder, "manifest">,
  category: Category,
  { minConfidence, sensitivity }: Pick<Question, "minConfidence" | "sensitivity">,
): number {
  const asked = minConfidence[category] ?? thresholdAt(manifest, category, sensitivity) ?? 1;
  return Math.max(manifest.confidence_floor, asked);
}

/** From which confidence on a model reports a category: candidates from its floor on. */
export function reportedFrom(
  finder: Pick<Finder, "manifest">,
  category: Category,
  question: Pick<Question, "minConfidence" | "sensitivity" | "withCandidates">,
): number {
  const threshold = thresholdOf(finder, category, question);
  return question.withCandidates ? Math.min(threshold, finder.manifest.confidence_floor) : threshold;
}
