import type { Box } from "./editor-geometry.ts";
import type { Shape } from "./editor-shapes.ts";

/** How far a mask reaches past what was found, as the service has it for a category. */
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
 * What is painted over something that was found at a place.
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
  // What a person asked for is painted as it was asked for.
  if (margin === undefined || confidence === null) return { shape: "box", box };
  const { faint, sure, edgeShare } = margin;
  const certainty = within((confidence - faint[0]) / (sure[0] - faint[0]));
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

/** A box with a rim of the same share of the picture on all sides, as far as it stays within. */
export function boxWithRim({ x, y, width, height }: Box, rim: number): Box {
  const [left, top] = [within(x - rim), within(y - rim)];
  return { x: left, y: top, width: within(x + width + rim) - left, height: within(y + height + rim) - top };
}

function grow(
  { x, y, width, height }: Box,
  by: { x: number; y: number; right: number; bottom: number },
): Box {
  return { x: x - by.x, y: y - by.y, width: width + by.x + by.right, height: height + by.y + by.bottom };
}

function within(value: number) {
  return Math.min(1, Math.max(0, value));
}
