import type { Box } from "./editor-geometry.ts";

// Converts regions that a person added to the form of a request.

/** Corners of the polygon that approximates an ellipse. A region may have 3 to 64. */
const ELLIPSE_CORNERS = 48;
const DECIMALS = 1e5;

/** A box with few digits that contains another one. */
export function boxRegion(box: Box): Box {
  const [x, y] = [Math.floor(box.x * DECIMALS), Math.floor(box.y * DECIMALS)];
  const right = Math.min(DECIMALS, Math.ceil((box.x + box.width) * DECIMALS));
  const bottom = Math.min(DECIMALS, Math.ceil((box.y + box.height) * DECIMALS));
  return {
    x: x / DECIMALS,
    y: y / DECIMALS,
    width: (right - x) / DECIMALS,
    height: (bottom - y) / DECIMALS,
  };
}

/** Corners of a polygon that contains the ellipse in a box. */
export function ellipseRegion({ x, y, width, height }: Box) {
  // Enlarges the polygon so that its sides touch the ellipse instead of cutting it.
  const grown = 1 / Math.cos(Math.PI / ELLIPSE_CORNERS);
  return Array.from({ length: ELLIPSE_CORNERS }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / ELLIPSE_CORNERS;
    const across = x + (width / 2) * (1 + grown * Math.cos(angle));
    const down = y + (height / 2) * (1 + grown * Math.sin(angle));
    return [rounded(Math.min(1, Math.max(0, across))), rounded(Math.min(1, Math.max(0, down)))];
  });
}

function rounded(fraction: number) {
  return Math.round(fraction * DECIMALS) / DECIMALS;
}
