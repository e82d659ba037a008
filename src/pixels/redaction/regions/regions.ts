import { boundsOf, type Box, type PixelSize, type Place } from "../../geometry/box.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { growPolygon, shorterSideOf } from "./grow.ts";
import { marginOf, marginShareOf, type Margin, type Stillness } from "./margins.ts";

/** What a region is made from. Without a confidence, 0…1, the region gets the widest margin. */
interface Covered extends Place {
  readonly category: RedactionCategory;
  readonly confidence?: number | undefined;
}

/**
 * An area to hide, including its margins. `box` bounds the shape: an ellipse touches its four sides. A polygon means the convex
 * hull of its points, so the order of a detector's corners does not matter.
 */
export interface Region extends Place {
  readonly category: RedactionCategory;
  readonly shape: "ellipse" | "box" | "polygon";
  /** The text to print on the mask, if it is large enough. */
  readonly label?: string | undefined;
}

/**
 * If a head's box ends at the picture's edge, the head continues beyond it. Its ellipse is extended there by this share of the
 * box.
 */
const CUT_HEAD_SHARE = 0.25;
/** A box ends at an edge if it is at most this share of the picture away from it. */
const EDGE = 0.004;

/** Detectors also analyze parts of larger pictures, of about this many pixels per side, so they find edges there as precisely. */
const LARGEST_VIEW_PX = 1280;

/** A polygon narrower than this share of its box's longer side is ignored, and the box is used. */
const SLIVER = 1e-3;

/** Used if no size is given: a picture as wide as it is high. */
const SQUARE: PixelSize = { width: 1, height: 1 };

/**
 * Turns detections into regions by giving each its category's shape and margin. A head becomes the ellipse in its grown box.
 * Other detections keep their polygon or box, with each side moved outward by the same distance. Nothing is clipped here: a
 * shape that reaches past the picture keeps its true size, which decides the size of its cells.
 */
export function regionsFromDetections(
  detections: readonly Covered[],
  size: PixelSize = SQUARE,
  stillness: Stillness = "still",
): Region[] {
  return detections.map((detection) => {
    const { category, confidence, box, polygon } = detection;
    const margin = marginOf(category, stillness);
    const share = marginShareOf(margin, confidence);
    const edgePx = margin.edgeShare * Math.min(LARGEST_VIEW_PX, Math.max(size.width, size.height));
    if (category === "heads") {
      const [, , width, height] = box;
      const reach = [width * share + edgePx / size.width, height * share + edgePx / size.height] as const;
      return { category, shape: "ellipse", box: cutHeadBox(growBox(box, reach), box) };
    }
    const corners = (polygon ?? []).map(([x, y]) => [x * size.width, y * size.height] as const);
    const shorterSidePx = shorterSideOf(corners);
    if (shorterSidePx <= SLIVER * Math.max(box[2] * size.width, box[3] * size.height)) {
      const reachPx = share * Math.min(box[2] * size.width, box[3] * size.height) + edgePx;
      return { category, shape: "box", box: growBox(box, [reachPx / size.width, reachPx / size.height]) };
    }
    const grown = growPolygon(corners, share * shorterSidePx + edgePx).map(
      ([x, y]) => [x / size.width, y / size.height] as const,
    );
    return { category, shape: "polygon", box: boundsOf(grown), polygon: grown };
  });
}

/** How far the masks of tracks reach past the detections, for clients that show masks before they are painted. */
export interface MaskRules {
  /** Margins by category. */
  readonly margins: Readonly<Record<string, Margin>>;
  readonly largestViewPx: number;
  readonly cutHeadShare: number;
  readonly edge: number;
}

/** The rules that {@link regionsFromDetections} applies to tracks. */
export function maskRules(): MaskRules {
  return {
    margins: Object.fromEntries(
      REDACTION_CATEGORIES.map((category) => [category, marginOf(category, "moving")]),
    ),
    largestViewPx: LARGEST_VIEW_PX,
    cutHeadShare: CUT_HEAD_SHARE,
    edge: EDGE,
  };
}

function growBox([x, y, width, height]: Box, [reachX, reachY]: readonly [number, number]): Box {
  return [x - reachX, y - reachY, width + 2 * reachX, height + 2 * reachY];
}

/** A head's grown box, extended past the picture's edges that cut the head. */
function cutHeadBox(grown: Box, [x, y, width, height]: Box): Box {
  const reachX = CUT_HEAD_SHARE * width;
  const reachY = CUT_HEAD_SHARE * height;
  const left = x <= EDGE ? reachX : 0;
  const top = y <= EDGE ? reachY : 0;
  const right = x + width >= 1 - EDGE ? reachX : 0;
  const bottom = y + height >= 1 - EDGE ? reachY : 0;
  return [grown[0] - left, grown[1] - top, grown[2] + left + right, grown[3] + top + bottom];
}
