import type { RedactionCategory } from "./media.values.ts";

/** One thing that was found and painted over: left, top, width and height in 0…1 of the stored, unrotated picture. */
export interface StoredDetection {
  readonly category: RedactionCategory;
  readonly box: readonly [number, number, number, number];
  readonly confidence: number;
}

/** A page of text can hold thousands of words; past these, boxes over boxes tell nothing more. */
const MAX_STORED = 2_000;
const DECIMALS = 1e4;

/** What is kept of detections: category, box and confidence to four decimals, the surest first. */
export function storedDetections(found: readonly StoredDetection[]): StoredDetection[] {
  return found
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, MAX_STORED)
    .map(({ category, box: [left, top, width, height], confidence }) => ({
      category,
      box: [round(left), round(top), round(width), round(height)] as const,
      confidence: round(confidence),
    }));
}

function round(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
