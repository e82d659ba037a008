import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import { growPolygon, shorterSideOf } from "./grow.ts";

/** `[x, y, width, height]`, in 0…1 of the stored, unrotated pixels. May reach past the picture; it is clipped there. */
export type NormalisedBox = readonly [x: number, y: number, width: number, height: number];

/** `[x, y]`, in 0…1 of the stored, unrotated pixels. */
export type NormalisedPoint = readonly [x: number, y: number];

/** What a detector says about one object. */
export interface Detection {
  readonly category: RedactionCategory;
  /** How sure it is, 0…1; the widest margin when it is not known. */
  readonly confidence?: number | undefined;
  readonly box: NormalisedBox;
  readonly polygon?: readonly NormalisedPoint[] | undefined;
}

/** Size of a picture in pixels: margins are as wide to the left as to the top. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * An area that must disappear, margins already included.
 *
 * `box` bounds the shape: an ellipse touches its four sides. A polygon is taken as the convex hull of its points,
 * so a detector's order of corners does not matter.
 */
export interface Region {
  readonly category: RedactionCategory;
  readonly shape: "ellipse" | "box" | "polygon";
  readonly box: NormalisedBox;
  readonly polygon?: readonly NormalisedPoint[] | undefined;
}

/**
 * How far a region reaches past its detection on each side: a share of the detection's shorter side, for a head's ellipse of
 * each side, and on top of it a share of the picture's longer side.
 */
interface Margin {
  /** Up to this confidence, and from that one on; evenly between. */
  readonly faint: readonly [confidence: number, share: number];
  readonly sure: readonly [confidence: number, share: number];
  /** A detector sees the picture scaled down, and no edge more exactly than its pixels. */
  readonly edgeShare: number;
}

/** How one category is hidden. */
export interface CategoryProfile {
  readonly margin: Margin;
  /**
   * `pictorial` areas keep up to six cells across their shorter side. `legible` ones hold characters or modules
   * of a known alphabet: someone who knows the typeface can render every candidate and compare whatever is kept, even a
   * single mean, so they keep nothing and take a tone of their surroundings instead.
   */
  readonly detail: "pictorial" | "legible";
}

/**
 * Margins are for how detectors err, which they do more where they are less sure, and where two looks disagree: that lowers the
 * confidence. Chosen on labelled photos by what stays open and what is painted (`npm run eval`; docs/redaction.md has the figures), for
 * the boxes that the bundled detectors give. A text line's box cuts ascenders and descenders; a code's readers report the modules
 * without the bars' overhang.
 */
const PROFILES: Readonly<Record<RedactionCategory, CategoryProfile>> = {
  heads: { margin: { faint: [0.55, 0.15], sure: [0.85, 0.045], edgeShare: 0.003 }, detail: "pictorial" },
  tattoos: { margin: { faint: [0.5, 0.15], sure: [0.85, 0.1], edgeShare: 0.002 }, detail: "pictorial" },
  license_plates: { margin: { faint: [0.5, 0.08], sure: [0.8, 0.02], edgeShare: 0.002 }, detail: "legible" },
  screens: { margin: { faint: [0.45, 0.1], sure: [0.8, 0.04], edgeShare: 0.002 }, detail: "legible" },
  writing: { margin: { faint: [0.8, 0.04], sure: [0.95, 0.02], edgeShare: 0.0005 }, detail: "legible" },
  street_signs: { margin: { faint: [0.5, 0.1], sure: [0.8, 0], edgeShare: 0.0015 }, detail: "legible" },
  id_cards: { margin: { faint: [0.5, 0.08], sure: [0.85, 0.03], edgeShare: 0.002 }, detail: "legible" },
  passports: { margin: { faint: [0.5, 0.08], sure: [0.85, 0.03], edgeShare: 0.002 }, detail: "legible" },
  credit_cards: { margin: { faint: [0.5, 0.08], sure: [0.85, 0.03], edgeShare: 0.002 }, detail: "legible" },
  name_badges: { margin: { faint: [0.6, 0.1], sure: [0.9, 0.06], edgeShare: 0.002 }, detail: "legible" },
  qr_codes: { margin: { faint: [0.5, 0.06], sure: [0.85, 0.02], edgeShare: 0.002 }, detail: "legible" },
  barcodes: { margin: { faint: [0.5, 0.1], sure: [0.9, 0.05], edgeShare: 0.002 }, detail: "legible" },
  documents: { margin: { faint: [0.45, 0.08], sure: [0.85, 0.02], edgeShare: 0.002 }, detail: "legible" },
};

/** Looks up how a category is hidden. */
export function profileOf(category: RedactionCategory): CategoryProfile {
  return PROFILES[category];
}

/** The share of its shorter side by which a detection of a category grows on each side; by the widest margin when it is not known how sure it is. */
export function marginShareOf(category: RedactionCategory, confidence = 0): number {
  const { faint, sure } = profileOf(category).margin;
  const certainty = Math.max(0, Math.min(1, (confidence - faint[0]) / (sure[0] - faint[0])));
  return faint[1] + (sure[1] - faint[1]) * certainty;
}

/** Where a head's box ends at the picture's edge the head goes on: its ellipse is taken so much further there. */
const CUT_HEAD_SHARE = 0.25;
/** So near to the edge, in shares of the picture, a box ends there. */
const EDGE = 0.004;

/** Larger pictures are looked at in parts of about so many pixels as well, so that edges are seen no less exactly. */
const LARGEST_VIEW_PX = 1280;

/** A polygon narrower than this share of its box's longer side is none. */
const SLIVER = 1e-3;

/** Without a size, one where a side of 1 is as long across as down. */
const SQUARE: PictureSize = { width: 1, height: 1 };

/**
 * Turns detections into regions: gives each its category's shape and margin.
 *
 * A head becomes the ellipse in its grown box. Others keep their polygon or box, each side moved outwards by the same distance.
 * Nothing is clipped here: a shape that reaches past the picture keeps its true size, and with it its cells.
 */
export function regionsFromDetections(
  detections: readonly Detection[],
  size: PictureSize = SQUARE,
): Region[] {
  return detections.map((detection) => {
    const { category, confidence, box, polygon } = detection;
    const share = marginShareOf(category, confidence);
    const edgePx =
      profileOf(category).margin.edgeShare * Math.min(LARGEST_VIEW_PX, Math.max(size.width, size.height));
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

function growBox(
  [x, y, width, height]: NormalisedBox,
  [reachX, reachY]: readonly [number, number],
): NormalisedBox {
  return [x - reachX, y - reachY, width + 2 * reachX, height + 2 * reachY];
}

/** A head's grown box, taken further past the picture's edges that cut the head. */
function cutHeadBox(grown: NormalisedBox, [x, y, width, height]: NormalisedBox): NormalisedBox {
  const reachX = CUT_HEAD_SHARE * width;
  const reachY = CUT_HEAD_SHARE * height;
  const left = x <= EDGE ? reachX : 0;
  const top = y <= EDGE ? reachY : 0;
  const right = x + width >= 1 - EDGE ? reachX : 0;
  const bottom = y + height >= 1 - EDGE ? reachY : 0;
  return [grown[0] - left, grown[1] - top, grown[2] + left + right, grown[3] + top + bottom];
}

function boundsOf(points: readonly NormalisedPoint[]): NormalisedBox {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
}
