import { area, intersection, type ScoredBox } from "./box.ts";

export interface SuppressionLimits {
  /** A weaker box is dropped if its intersection over union with a stronger one is at least this. */
  readonly overlap: number;
  /** A weaker box is dropped if more than this share of it lies inside a stronger one. */
  readonly containment: number;
  /**
   * A weaker box is dropped if it contains more than the containment share of a stronger one and its area is more than this
   * many times as large. Without this limit, a large box around stronger small ones stays.
   */
  readonly engulfing?: number | undefined;
}

/**
 * Non-maximum suppression of boxes of one category, strongest first.
 * The containment rule removes parts of an object that finer scales and tiles see as separate objects.
 * @returns The boxes that stay, in order of decreasing confidence.
 */
export function suppress<T extends ScoredBox>(candidates: readonly T[], limits: SuppressionLimits): T[] {
  const ordered = candidates.toSorted((a, b) => b.confidence - a.confidence);
  const kept: { item: T; areaOfBox: number }[] = [];
  for (const item of ordered) {
    const areaOfBox = area(item.box);
    const isRepeated = kept.some((other) => {
      const shared = intersection(item.box, other.item.box);
      if (shared <= 0) return false;
      return (
        shared / (areaOfBox + other.areaOfBox - shared) >= limits.overlap ||
        shared / areaOfBox > limits.containment ||
        (limits.engulfing !== undefined &&
          shared / other.areaOfBox > limits.containment &&
          areaOfBox > limits.engulfing * other.areaOfBox)
      );
    });
    if (!isRepeated) kept.push({ item, areaOfBox });
  }
  return kept.map(({ item }) => item);
}
