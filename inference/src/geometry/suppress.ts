import { area, intersection, type ScoredBox } from "./box.ts";

export interface SuppressionLimits {
  /** A weaker box whose intersection over union with a stronger one reaches this goes. */
  readonly overlap: number;
  /** A weaker box of which more than this share lies inside a stronger one goes. */
  readonly containment: number;
  /**
   * A weaker box that holds more than the containment share of a stronger one, and is over so many times its size, goes.
   * Without it, a large box around stronger small ones stays.
   */
  readonly engulfing?: number | undefined;
}

/**
 * Non-maximum suppression of boxes of one category, strongest first.
 * The containment rule takes out the parts of an object that finer scales and tiles see as objects of their own.
 * @returns The boxes that stay, by falling confidence.
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
