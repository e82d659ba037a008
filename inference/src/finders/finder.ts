import type { Category } from "../detections/categories.ts";
import type { Picture } from "../images/decode.ts";
import type { Manifest, Specialist } from "../models/manifest.ts";
import { thresholdAt, type Sensitivity } from "../models/sensitivity.ts";
import type { Detection } from "../detections/detection.ts";

/** Least confidence by category, 0…1. */
export type Confidences = Readonly<Partial<Record<Category, number>>>;

/** What a request asks about its pictures. */
export interface Question {
  readonly categories: readonly Category[];
  /** Which of the models' thresholds apply. */
  readonly sensitivity: Sensitivity;
  /** Replaces the models' thresholds for the categories it names, but never goes below the models' floors. */
  readonly minConfidence: Confidences;
  /** Whether detections below the thresholds, but not below the models' floors, are also reported, as candidates. */
  readonly withCandidates: boolean;
  /** Whether to skip the mirrored look. Frames of a video set this: the next frame is their second look. */
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
  /** Number of tasks that wait for the model. */
  readonly waiting: number;
  /**
   * Finds objects of the requested categories that this model serves. Coordinates are in 0…1 of the picture.
   * @throws ServiceError `cancelled` if the signal fires.
   */
  readonly find: (picture: Picture, question: Question, signal: AbortSignal) => Promise<Detection[]>;
  /**
   * Judges detections in consecutive frames of a video again, a few of each object.
   * @param frames The detections of each frame. The answer has the same ones without their crops.
   */
  readonly lookAgain?: (frames: readonly (readonly Detection[])[]) => Promise<Detection[][]>;
}

/** The confidence from which a model's detections of a category count. */
export function thresholdOf(
  { manifest }: Pick<Finder, "manifest">,
  category: Category,
  { minConfidence, sensitivity }: Pick<Question, "minConfidence" | "sensitivity">,
): number {
  const asked = minConfidence[category] ?? thresholdAt(manifest, category, sensitivity) ?? 1;
  return Math.max(manifest.confidence_floor, asked);
}

/** The confidence from which a model reports a category. With candidates, it is the model's floor. */
export function reportedFrom(
  finder: Pick<Finder, "manifest">,
  category: Category,
  question: Pick<Question, "minConfidence" | "sensitivity" | "withCandidates">,
): number {
  const threshold = thresholdOf(finder, category, question);
  return question.withCandidates ? Math.min(threshold, finder.manifest.confidence_floor) : threshold;
}
