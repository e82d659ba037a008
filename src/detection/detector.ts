import type { ImageFormat, RedactionCategory } from "../vocabulary/media-values.ts";
import type { FrameDetections } from "./detection.schemas.ts";

/** A picture as it is stored, opened anew for each try. */
export interface Frame {
  readonly format: ImageFormat;
  readonly sizeBytes: number;
  readonly widthPixels: number;
  readonly heightPixels: number;
  open(): Promise<ReadableStream<Uint8Array>>;
}

/** A request to a detector. */
export interface DetectionRequest {
  /** Pictures to look at, at least one. */
  readonly frames: readonly Frame[];
  readonly categories: readonly RedactionCategory[];
  /** The minimum confidence, for all categories or for some; the model's own if absent. */
  readonly minConfidence?: number | Readonly<Partial<Record<RedactionCategory, number>>> | undefined;
  /** Fewer false finds, or fewer misses, where the detector has thresholds for that. */
  readonly sensitivity?: "low" | "normal" | "high" | undefined;
  /** Whether detections below the thresholds are returned too, as candidates. */
  readonly withCandidates?: boolean;
  /** Whether each picture is looked at only once where a detector would look again: a video's next frame is the second look. */
  readonly isSingleLook?: boolean;
  /** Whose picture it is, and the request that the look follows: for the log. */
  readonly subject: DetectionSubject;
}

/** The purpose of a call, as the log names it. */
export interface DetectionSubject {
  readonly requestId: string;
  readonly accountId: string;
  readonly mediaId: string;
}

/** Looks at pictures and says where things are. */
export interface Detector {
  /**
   * Finds things of the asked categories; one answer for each picture, in their order.
   *
   * @throws DetectionError
   */
  detect(request: DetectionRequest): Promise<FrameDetections[]>;
}

/** Why a picture was not looked at. A transient fault may pass by itself; any other will not. */
export class DetectionError extends Error {
  override readonly name = "DetectionError";
  readonly code:
    | "detector_unavailable"
    | "detector_answer_invalid"
    | "source_undecodable"
    | "categories_unserved";
  readonly isTransient: boolean;

  constructor(options: { code: DetectionError["code"]; message: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.isTransient = options.code === "detector_unavailable" || options.code === "detector_answer_invalid";
  }
}
