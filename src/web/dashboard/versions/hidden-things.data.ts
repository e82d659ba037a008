import type { Box } from "../../../pixels/geometry/box.ts";
import { shownBox } from "../../../pixels/geometry/orientation.ts";
import type { InspectedMedia } from "../../../records/masking/photo-detections.repository.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/** One mask. Its box is in 0…1 of the picture as a viewer shows it. */
export interface HiddenThing {
  /** Null for a drawn mask without a category. */
  readonly category: RedactionCategory | null;
  readonly box: Box;
  /** Null for a drawn mask. */
  readonly confidence: number | null;
}

/** The hidden detections of a photo; undefined if they were not stored. */
export function hiddenThingsOf(found: InspectedMedia["found"]): HiddenThing[] | undefined {
  return found?.detections.flatMap(({ category, box, confidence, isOpen }) =>
    isOpen === true ? [] : [{ category, box: shownBox(box, found.orientation), confidence }],
  );
}
