import type { PaintedOutcome } from "./painted.ts";

/** A target is painted if at least this share of its area is. */
const PAINTED_SHARE = 0.95;
const NEARLY_PAINTED_SHARE = 0.9;

interface PaintedShares {
  readonly targets: number;
  /** Share of targets with at least 95 % of their area painted. For heads, it is the area of the ellipse in the label's box. */
  readonly painted: number;
  /** Share of targets with at least 90 % of the whole label painted. */
  readonly boxPainted: number;
  /**
   * Area that detections of found targets paint, over the area of these targets. If the labels are faces, it is the head over
   * the face.
   */
  readonly paintedToFound: number | undefined;
}

/** Compares the painted area with the labeled one, at the service's own thresholds. */
export interface PaintedFigures extends PaintedShares {
  /** All painted area over all labeled area, on photos with targets and with all instances labeled. */
  readonly paintedToLabelled: number | undefined;
  /** The same ratio in a JPEG file, which is painted in blocks of 8 × 8 pixels. */
  readonly inBlocksToLabelled: number | undefined;
  readonly bySource: Readonly<Record<string, PaintedShares>>;
}

/** Figures over photos with labels. Undefined without any. */
export function paintedFigures(
  outcomes: readonly PaintedOutcome[],
  { isEllipse, leastOfSource }: { isEllipse: boolean; leastOfSource: number },
): PaintedFigures | undefined {
  if (outcomes.length === 0) return undefined;
  const complete = outcomes.filter(({ isComplete }) => isComplete);
  const sources = [...new Set(outcomes.map(({ source }) => source))].map((source) => {
    const own = outcomes.filter((outcome) => outcome.source === source);
    return [source, sharesOf(own, isEllipse)] as const;
  });
  return {
    ...sharesOf(outcomes, isEllipse),
    paintedToLabelled: ratio(complete, "paintedPixels", "labelledPixels"),
    inBlocksToLabelled: ratio(complete, "paintedInBlocks", "labelledPixels"),
    bySource: Object.fromEntries(sources.filter(([, { targets }]) => targets >= leastOfSource)),
  };
}

function sharesOf(outcomes: readonly PaintedOutcome[], isEllipse: boolean): PaintedShares {
  const targets = outcomes.flatMap((outcome) => outcome.targets);
  const shareFrom = (least: number, field: "share" | "ellipseShare"): number =>
    targets.filter((target) => target[field] >= least).length / Math.max(1, targets.length);
  return {
    targets: targets.length,
    painted: shareFrom(PAINTED_SHARE, isEllipse ? "ellipseShare" : "share"),
    boxPainted: shareFrom(NEARLY_PAINTED_SHARE, "share"),
    paintedToFound: ratio(outcomes, "foundPaintedPixels", "foundPixels"),
  };
}

type Pixels = "paintedPixels" | "paintedInBlocks" | "labelledPixels" | "foundPaintedPixels" | "foundPixels";

function ratio(outcomes: readonly PaintedOutcome[], over: Pixels, under: Pixels): number | undefined {
  const sum = (field: Pixels): number => outcomes.reduce((total, outcome) => total + outcome[field], 0);
  return sum(under) === 0 ? undefined : sum(over) / sum(under);
}
