import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/**
 * How far a region reaches past its detection on each side: a share of the detection's shorter side (for a head's ellipse, of
 * each side), plus a share of the picture's longer side.
 */
export interface Margin {
  /** Shares up to the `faint` confidence and from the `sure` confidence. Between them, the share changes linearly. */
  readonly faint: readonly [confidence: number, share: number];
  readonly sure: readonly [confidence: number, share: number];
  /**
   * Share of the picture's longer side, of which at most 1280 px count. A detector sees the picture scaled down and finds
   * edges no more precisely than its pixels.
   */
  readonly edgeShare: number;
}

/** `still` is for a picture that a detector analyzed, `moving` for frames of a video, most of which lie between analyzed ones. */
export type Stillness = "still" | "moving";

/** How one category is hidden. */
export interface CategoryProfile {
  readonly margin: Margin;
  /** For tracks of a category that needs more: a head turns and nods between two analyzed frames. */
  readonly movingMargin?: Margin;
  /**
   * `pictorial` areas keep up to six cells across their shorter side. `legible` areas hold characters or modules of a known
   * alphabet. Someone who knows the typeface can render every candidate and compare it with whatever is kept, even a single
   * mean. So legible areas keep nothing and take a tone of their surroundings.
   */
  readonly detail: "pictorial" | "legible";
}

/**
 * Margins allow for the errors of detectors. Detectors err more if their confidence is low, and a disagreement between the two looks
 * lowers the confidence. The margins were chosen on labeled photos for the boxes of the bundled detectors, by what stays visible and what
 * is painted (`npm run eval`; docs/redaction.md has the figures). The box of a text line cuts ascenders and
 * descenders. Readers of codes report the modules without the bars' overhang.
 */
const PROFILES: Readonly<Record<RedactionCategory, CategoryProfile>> = {
  heads: {
    margin: { faint: [0.55, 0.1], sure: [0.85, 0.02], edgeShare: 0.003 },
    movingMargin: { faint: [0.55, 0.15], sure: [0.85, 0.045], edgeShare: 0.003 },
    detail: "pictorial",
  },
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
  barcodes: { margin: { faint: [0.5, 0.09], sure: [0.9, 0.04], edgeShare: 0.002 }, detail: "legible" },
  documents: { margin: { faint: [0.45, 0.08], sure: [0.85, 0.02], edgeShare: 0.002 }, detail: "legible" },
};

/** Looks up how a category is hidden. */
export function profileOf(category: RedactionCategory): CategoryProfile {
  return PROFILES[category];
}

/** The margin of a category's detections. */
export function marginOf(category: RedactionCategory, stillness: Stillness): Margin {
  const { margin, movingMargin } = profileOf(category);
  return stillness === "moving" ? (movingMargin ?? margin) : margin;
}

/** The share of its shorter side by which a detection grows on each side. Without a confidence, it is the widest margin. */
export function marginShareOf({ faint, sure }: Margin, confidence = 0): number {
  const certainty = Math.max(0, Math.min(1, (confidence - faint[0]) / (sure[0] - faint[0])));
  return faint[1] + (sure[1] - faint[1]) * certainty;
}
