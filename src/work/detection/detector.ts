import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";
import type { FrameDetections, ModelIdentity } from "../../ground/vocabulary/detection.schemas.ts";
import { JobError, type Verdict } from "../../ground/platform/job-error.ts";

/** A stored picture. Every attempt opens it again. */
export interface Frame {
  readonly format: ImageFormat;
  readonly sizeBytes: number;
  readonly widthPixels: number;
  readonly heightPixels: number;
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** A request to a detector. */
export interface DetectionRequest {
  /** The pictures to analyze, at least one. */
  readonly frames: readonly Frame[];
  readonly categories: readonly RedactionCategory[];
  /** The minimum confidence for all categories or for some. If absent, the model's own. */
  readonly minConfidence?: number | Readonly<Partial<Record<RedactionCategory, number>>> | undefined;
  /** `low` means fewer false detections, `high` fewer misses, if the detector has thresholds for them. */
  readonly sensitivity?: "low" | "normal" | "high" | undefined;
  /** Whether detections below the thresholds are also returned, as candidates. */
  readonly withCandidates?: boolean;
  /** Whether to skip the second look at each picture. Set for frames of a video, because the next frame shows the same object again. */
  readonly isSingleLook?: boolean;
  /** The media, its account and the request, for the log. */
  readonly subject: DetectionSubject;
  /** Called once the pictures have been sent, if the detector can tell. */
  readonly onSent?: (() => void) | undefined;
}

/** What a call is for, in the log's terms. */
export interface DetectionSubject {
  readonly requestId: string;
  readonly accountId: string;
  readonly mediaId: string;
}

/** A detector's answer. */
export interface DetectionAnswer {
  /** One for each picture, in the same order. */
  readonly frames: readonly FrameDetections[];
  /** The models that analyzed the pictures. Empty if the detector does not name them. */
  readonly models: readonly ModelIdentity[];
}

/** Finds objects in pictures. */
export interface Detector {
  /**
   * Finds objects of the requested categories.
   *
   * @throws DetectionError
   */
  detect(request: DetectionRequest): Promise<DetectionAnswer>;
}

/** The statuses of an overloaded detector, or of a proxy in front of an unavailable one. */
export const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Why a picture was not analyzed. A transient fault may go away by itself; any other will not. */
export class DetectionError extends Error {
  override readonly name = "DetectionError";
  readonly code:
    | "detector_unavailable"
    | "detector_answer_invalid"
    | "source_undecodable"
    | "categories_unserved";
  readonly isTransient: boolean;
  /** Whether the detector is unavailable or overloaded, so that the picture is not the cause. */
  readonly isAway: boolean;

  constructor(options: { code: DetectionError["code"]; message: string; isAway?: boolean; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.isAway = options.isAway ?? false;
    this.isTransient = options.code === "detector_unavailable" || options.code === "detector_answer_invalid";
  }
}

/** The failure code of a job's error, and whether to try again. */
export function judgeError(error: unknown): Verdict {
  if (error instanceof JobError) return error;
  if (error instanceof DetectionError) return { code: error.code, isPermanent: !error.isTransient };
  return { code: "unexpected", isPermanent: false };
}
