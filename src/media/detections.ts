import type { RedactionCategory } from "../vocabulary/media-values.ts";

type Box = readonly [x: number, y: number, width: number, height: number];
type Point = readonly [x: number, y: number];

/** The box of a detection: left, top, width and height as fractions of the stored, unrotated picture. */
export interface Sighting {
  readonly box: Box;
  readonly polygon?: readonly Point[] | undefined;
  /** Null of what a person asked for. */
  readonly confidence: number | null;
}

/** One thing in a photo. */
export interface StoredDetection extends Sighting {
  /** Unique among the detections of all media. */
  readonly id: string;
  /** Null where a person asked for a region of no category. */
  readonly category: RedactionCategory | null;
  /** Whether a person asked for it; it was detected otherwise. */
  readonly isRequested?: boolean | undefined;
  /** Whether it is left open. */
  readonly isOpen?: boolean | undefined;
  /** Whether it is left open where nobody says otherwise: under the threshold, or in an ignored region. */
  readonly isOpenByDefault?: boolean | undefined;
  /** The area that is hidden with it, if that is more than its own box or polygon. */
  readonly seen?: readonly Sighting[] | undefined;
}
