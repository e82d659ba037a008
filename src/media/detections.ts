import type { RedactionCategory } from "../vocabulary/media-values.ts";

/** One thing that was found and painted over: left, top, width and height in 0…1 of the stored, unrotated picture. */
export interface StoredDetection {
  readonly category: RedactionCategory;
  readonly box: readonly [number, number, number, number];
  readonly confidence: number;
}

/** A page of text can hold thousands of words; past these, boxes over boxes tell nothing more. */
const MAX_STORED = 2_000;
const DECIMALS = 1e4;

/** Two boxes of one category that share more than this part of what they cover together are of one thing. */
const SAME_THING_SHARE = 0.5;

/**
 * What is kept of detections: category, box and confidence to four decimals, the surest first. What several looks at a
 * picture found twice is kept once, so that counts tell things; what is painted over is the business of the regions.
 */
export function storedDetections(found: readonly StoredDetection[]): StoredDetection[] {
  const kept: StoredDetection[] = [];
  for (const one of found.toSorted((a, b) => b.confidence - a.confidence)) {
    if (kept.length === MAX_STORED) break;
    if (kept.some((other) => isSameThing(one, other))) continue;
    const { category, confidence } = one;
    const [left, top, width, height] = one.box;
    kept.push({
      category,
      box: [round(left), round(top), round(width), round(height)],
      confidence: round(confidence),
    });
  }
  return kept;
}

function isSameThing(one: StoredDetection, other: StoredDetection): boolean {
  if (one.category !== other.category) return false;
  const [x1, y1, w1, h1] = one.box;
  const [x2, y2, w2, h2] = other.box;
  const width = Math.min(x1 + w1, x2 + w2) - Math.max(x1, x2);
  const height = Math.min(y1 + h1, y2 + h2) - Math.max(y1, y2);
  if (width <= 0 || height <= 0) return false;
  const shared = width * height;
  return shared > SAME_THING_SHARE * (w1 * h1 + w2 * h2 - shared);
}

function round(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
