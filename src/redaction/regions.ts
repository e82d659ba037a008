/** What a detector can be asked to find. */
export type Category =
  | "heads"
  | "license_plates"
  | "screens"
  | "writing"
  | "street_signs"
  | "id_cards"
  | "passports"
  | "credit_cards"
  | "name_badges"
  | "qr_codes"
  | "barcodes"
  | "documents"
  | "tattoos";

/** `[x, y, width, height]`, in 0…1 of the stored, unrotated pixels. May reach past the picture; it is clipped there. */
type NormalisedBox = readonly [x: number, y: number, width: number, height: number];

/** `[x, y]`, in 0…1 of the stored, unrotated pixels. */
export type NormalisedPoint = readonly [x: number, y: number];

/** What a detector says about one object. */
export interface Detection {
  readonly category: Category;
  readonly box: NormalisedBox;
  readonly polygon?: readonly NormalisedPoint[] | undefined;
}

/**
 * An area that must disappear, margins already included.
 *
 * `box` bounds the shape: an ellipse touches its four sides. A polygon is taken as the convex hull of its points,
 * so a detector's order of corners does not matter.
 */
export interface Region {
  readonly category: Category;
  readonly shape: "ellipse" | "box" | "polygon";
  readonly box: NormalisedBox;
  readonly polygon?: readonly NormalisedPoint[] | undefined;
}

/** How one category is hidden. */
export interface CategoryProfile {
  /** Growth of the detection on each side, as a share of its width or height. */
  readonly marginShare: number;
  /**
   * `pictorial` areas keep up to six cells across their shorter side. `legible` ones hold characters or modules
   * of a known alphabet: someone who knows the typeface can render every candidate and compare whatever is kept, even a
   * single mean, so they keep nothing and take a tone of their surroundings instead.
   */
  readonly detail: "pictorial" | "legible";
}

/**
 * Margins follow how detectors err: a head box ends at the hairline or chin and hair, ears and neck identify too; plates,
 * cards and screens have hard edges that detectors meet closely; a text line's box cuts ascenders and descenders, which
 * are a fifth of its height; a code's readers report the module area without the bars' overhang.
 */
const PROFILES: Readonly<Record<Category, CategoryProfile>> = {
  heads: { marginShare: 0.15, detail: "pictorial" },
  tattoos: { marginShare: 0.15, detail: "pictorial" },
  license_plates: { marginShare: 0.15, detail: "legible" },
  screens: { marginShare: 0.1, detail: "legible" },
  writing: { marginShare: 0.2, detail: "legible" },
  street_signs: { marginShare: 0.1, detail: "legible" },
  id_cards: { marginShare: 0.1, detail: "legible" },
  passports: { marginShare: 0.1, detail: "legible" },
  credit_cards: { marginShare: 0.1, detail: "legible" },
  name_badges: { marginShare: 0.15, detail: "legible" },
  qr_codes: { marginShare: 0.15, detail: "legible" },
  barcodes: { marginShare: 0.15, detail: "legible" },
  documents: { marginShare: 0.1, detail: "legible" },
};

/** Looks up how a category is hidden. */
export function profileOf(category: Category): CategoryProfile {
  return PROFILES[category];
}

/**
 * Turns detections into regions: grows each by its category's margin and gives it a shape.
 *
 * Heads become the ellipse that circumscribes the grown box (half axes √2 times the half sides), so that the box's
 * corners stay inside. Others keep their polygon, scaled by 1 + 2·margin about the centre of its bounds, or the whole
 * grown box. Nothing is clipped here: a shape that reaches past the picture keeps its true size, and with it its cells.
 */
export function regionsFromDetections(detections: readonly Detection[]): Region[] {
  return detections.map((detection) => {
    const { category, polygon } = detection;
    const { marginShare } = profileOf(category);
    if (category === "heads") {
      return {
        category,
        shape: "ellipse",
        box: scaleBox(detection.box, (1 + 2 * marginShare) * Math.SQRT2),
      };
    }
    if (polygon !== undefined && polygon.length >= 3) {
      const bounds = boundsOf(polygon);
      const scale = 1 + 2 * marginShare;
      const centreX = bounds[0] + bounds[2] / 2;
      const centreY = bounds[1] + bounds[3] / 2;
      return {
        category,
        shape: "polygon",
        box: scaleBox(bounds, scale),
        polygon: polygon.map(
          ([x, y]) => [centreX + (x - centreX) * scale, centreY + (y - centreY) * scale] as const,
        ),
      };
    }
    return { category, shape: "box", box: scaleBox(detection.box, 1 + 2 * marginShare) };
  });
}

function scaleBox([x, y, width, height]: NormalisedBox, scale: number): NormalisedBox {
  return [
    x - (width * (scale - 1)) / 2,
    y - (height * (scale - 1)) / 2,
    width * scale,
    height * scale,
  ] as const;
}

function boundsOf(points: readonly NormalisedPoint[]): NormalisedBox {
  let left = Infinity;
  let top = Infinity;
  let right = -Infinity;
  let bottom = -Infinity;
  for (const [x, y] of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return [left, top, right - left, bottom - top];
}
