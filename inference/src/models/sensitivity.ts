import { z } from "zod";
import { category, share } from "./adapters/outputs.ts";

/** `low` reports fewer false detections, `normal` is the shipped setting, and `high` misses fewer objects. */
export const SENSITIVITIES = ["low", "normal", "high"] as const;

export type Sensitivity = (typeof SENSITIVITIES)[number];

/** Thresholds of `low` and `high`. `normal` has the usual thresholds. A category that is not named keeps its usual threshold. */
export const sensitivities = z.strictObject({
  low: z.partialRecord(category, share),
  high: z.partialRecord(category, share),
});

type Thresholds = z.output<typeof sensitivities>["low"];

interface Described {
  readonly thresholds: Thresholds;
  readonly sensitivities?: z.output<typeof sensitivities> | undefined;
}

/** A category's threshold at a sensitivity. */
export function thresholdAt(
  { thresholds, sensitivities: others }: Described,
  name: z.output<typeof category>,
  sensitivity: Sensitivity,
): number | undefined {
  return (sensitivity === "normal" ? undefined : others?.[sensitivity][name]) ?? thresholds[name];
}

/** Describes each category whose thresholds rise from `low` over `normal` to `high`. They must not rise. */
export function disorderOf(described: Described): string[] {
  return category.options.flatMap((name) => {
    const [low = 1, normal = 0, high = 0] = SENSITIVITIES.map((one) => thresholdAt(described, name, one));
    return low >= normal && normal >= high
      ? []
      : [`${name}: low must be at least normal, and normal at least high; found ${low}, ${normal}, ${high}`];
  });
}
