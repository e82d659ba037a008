import type { Place } from "../../pixels/geometry/box.ts";
import type { Orientation } from "../../pixels/geometry/orientation.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";

/** Where one run of the detector saw an object in a photo. */
export interface SeenPlace extends Place {
  /** Null for a region that a person requested. */
  readonly confidence: number | null;
}

/** One object in a photo. */
export interface StoredDetection extends SeenPlace {
  /** Unique among the detections of all media items. */
  readonly id: string;
  /** Null for a requested region without a category. */
  readonly category: RedactionCategory | null;
  /** Whether a person requested it instead of the detector finding it. */
  readonly isRequested?: boolean | undefined;
  /** Whether it is left visible. */
  readonly isOpen?: boolean | undefined;
  /** Whether it is left visible unless a person decides otherwise, because it is below the threshold or in an ignored region. */
  readonly isOpenByDefault?: boolean | undefined;
  /** The code of why it is hidden; null if a person chose none, undefined if nobody has chosen. */
  readonly reason?: string | null | undefined;
  /** The area that is hidden with it, if that is larger than its own box or polygon. */
  readonly seen?: readonly SeenPlace[] | undefined;
}

/** The stored detections of a photo, in coordinates of the stored picture; a viewer rotates it by `orientation`. */
export interface PhotoDetections {
  readonly detections: readonly StoredDetection[];
  readonly orientation: Orientation;
  /** Whether there are more detections than stored ones. */
  readonly isTruncated: boolean;
  /** The text of each reason that the detections carry, by code. */
  readonly reasonTexts?: Readonly<Record<string, string>> | undefined;
}
