import type { Box } from "./editor-geometry.ts";

// Places that a person added, as a request carries them.

/** Corners of the polygon that an ellipse is sent as; a region takes 3 to 64. */
const ELLIPSE_CORNERS = 48;
const DECIMALS = 1e5;

/** A box with few digits that holds all of another. */
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

/** Corners of a polygon around an ellipse that fills a box: no point of the ellipse lies outside it. */
export function ellipseRegion({ x, y, width, height }: Box) {
  // The sides of the polygon touch the ellipse where it would otherwise cut it.
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
