import { clampFraction } from "../../../pixels/geometry/fractions.ts";
import type { Box } from "./editor-geometry.ts";
import type { Shape } from "./editor-shapes.ts";

/** How far a mask extends past a detection of a category, by the service's rules. */
interface Margin {
  readonly faint: readonly [confidence: number, share: number];
  readonly sure: readonly [confidence: number, share: number];
  readonly edgeShare: number;
}

export interface MaskRules {
  readonly margins: Readonly<Record<string, Margin>>;
  readonly largestViewPx: number;
  readonly cutHeadShare: number;
  readonly edge: number;
}

/**
 * The mask of a detection at a place.
 *
 * @param picture its size in pixels, and the rules of masks
 */
export function maskAround(
  { category, confidence }: { readonly category: string | null; readonly confidence: number | null },
  box: Box,
  picture: { readonly width: number; readonly height: number; readonly rules: MaskRules },
): Shape {
  const { rules } = picture;
  const margin = category === null ? undefined : rules.margins[category];
  // A requested region is painted exactly.
  if (margin === undefined || confidence === null) return { shape: "box", box };
  const { faint, sure, edgeShare } = margin;
  const certainty = clampFraction((confidence - faint[0]) / (sure[0] - faint[0]));
  const share = faint[1] + (sure[1] - faint[1]) * certainty;
  const edgePx = edgeShare * Math.min(rules.largestViewPx, Math.max(picture.width, picture.height));
  const [edgeX, edgeY] = [edgePx / picture.width, edgePx / picture.height];
  if (category !== "heads") {
    const reachPx = share * Math.min(box.width * picture.width, box.height * picture.height);
    const reach = { x: reachPx / picture.width + edgeX, y: reachPx / picture.height + edgeY };
    return { shape: "box", box: grow(box, { ...reach, right: reach.x, bottom: reach.y }) };
  }
  const reach = { x: box.width * share + edgeX, y: box.height * share + edgeY };
  const [cutX, cutY] = [rules.cutHeadShare * box.width, rules.cutHeadShare * box.height];
  const sides = {
    x: reach.x + (box.x <= rules.edge ? cutX : 0),
    y: reach.y + (box.y <= rules.edge ? cutY : 0),
    right: reach.x + (box.x + box.width >= 1 - rules.edge ? cutX : 0),
    bottom: reach.y + (box.y + box.height >= 1 - rules.edge ? cutY : 0),
  };
  return { shape: "ellipse", box: grow(box, sides) };
}

/** A box enlarged on all sides by a share of the picture, clipped to the picture. */
export function boxWithRim({ x, y, width, height }: Box, rim: number): Box {
  const [left, top] = [clampFraction(x - rim), clampFraction(y - rim)];
  return {
    x: left,
    y: top,
    width: clampFraction(x + width + rim) - left,
    height: clampFraction(y + height + rim) - top,
  };
}

function grow(
  { x, y, width, height }: Box,
  by: { x: number; y: number; right: number; bottom: number },
): Box {
  return { x: x - by.x, y: y - by.y, width: width + by.x + by.right, height: height + by.y + by.bottom };
}
