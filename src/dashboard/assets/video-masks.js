/** @import { Box } from "./editor-geometry.js" */
/** @import { Shape } from "./editor-shapes.js" */

/**
 * @typedef {{ readonly faint: readonly [confidence: number, share: number], readonly sure: readonly [confidence: number, share: number],
 *   readonly edgeShare: number }} Margin How far a mask reaches past what was found, as the service has it for a category.
 * @typedef {{ readonly margins: Readonly<Record<string, Margin>>, readonly largestViewPx: number, readonly cutHeadShare: number,
 *   readonly edge: number }} MaskRules
 */

/**
 * What is painted over something that was found at a place.
 *
 * @param {{ readonly category: string | null, readonly confidence: number | null }} detection
 * @param {Box} box
 * @param {{ readonly width: number, readonly height: number, readonly rules: MaskRules }} picture its size in pixels, and the rules of masks
 * @returns {Shape}
 */
export function maskAround({ category, confidence }, box, picture) {
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

/**
 * A box with a rim of the same share of the picture on all sides, as far as it stays within.
 *
 * @param {Box} box
 * @param {number} rim
 * @returns {Box}
 */
export function boxWithRim({ x, y, width, height }, rim) {
  const [left, top] = [within(x - rim), within(y - rim)];
  return { x: left, y: top, width: within(x + width + rim) - left, height: within(y + height + rim) - top };
}

/**
 * @param {Box} box
 * @param {{ x: number, y: number, right: number, bottom: number }} by
 * @returns {Box}
 */
function grow({ x, y, width, height }, by) {
  return { x: x - by.x, y: y - by.y, width: width + by.x + by.right, height: height + by.y + by.bottom };
}

/** @param {number} value */
function within(value) {
  return Math.min(1, Math.max(0, value));
}
