import type { Box } from "../../pixels/geometry/box.ts";
import type { ModelIdentity } from "../../ground/vocabulary/detection.schemas.ts";
import type { PhotoDetections } from "../media/detections.ts";
import type { StoredOutput } from "../media/output-writer.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";

/**
 * `found_again`: something is found where nothing was painted. `readable`: a code or a line of writing can still be read under a
 * mask. `unseen_gap`: a track was not seen for so long that its place was computed.
 */
export const FINDING_KINDS = ["found_again", "readable", "unseen_gap"] as const;

/** `not_done`: nobody asked for a second reading, or it could not be made. */
export const VERIFICATION_STATUSES = ["passed", "findings", "not_done"] as const;

/** One finding of a second reading. */
export interface VerificationFinding {
  readonly kind: (typeof FINDING_KINDS)[number];
  readonly category: RedactionCategory;
  readonly confidence: number;
  /** In 0…1 of the picture as a viewer shows it. */
  readonly box: Box;
  /** Videos only, in seconds from the first frame shown. */
  readonly startSeconds?: number | undefined;
  readonly endSeconds?: number | undefined;
}

/** The result of the second reading of an output. */
export interface Verification {
  readonly status: (typeof VERIFICATION_STATUSES)[number];
  readonly pictures: number;
  readonly frames: number;
  readonly findings: readonly VerificationFinding[];
}

/** The result where there was no second reading. */
export const NOT_DONE: Verification = { status: "not_done", pictures: 0, frames: 0, findings: [] };

/** A photo's stored output that is to be read again, what was found before it was painted, and by which models. */
export interface VerificationDraft {
  readonly output: StoredOutput;
  readonly found: PhotoDetections;
  /** The models that analyzed the source; empty for a revision. */
  readonly models: readonly ModelIdentity[];
}
