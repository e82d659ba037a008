import { clampFraction, FRACTION_STEPS, roundFraction } from "../../../pixels/geometry/fractions.ts";
import type { Box } from "./editor-geometry.ts";

// Converts regions that a person added to the form of a request.

/** Corners of the polygon that approximates an ellipse. A region may have 3 to 64. */
const ELLIPSE_CORNERS = 48;

/** A box with few digits that contains another one. */
export function boxRegion(box: Box): Box {
  const [x, y] = [Math.floor(box.x * FRACTION_STEPS), Math.floor(box.y * FRACTION_STEPS)];
  const right = Math.min(FRACTION_STEPS, Math.ceil((box.x + box.width) * FRACTION_STEPS));
  const bottom = Math.min(FRACTION_STEPS, Math.ceil((box.y + box.height) * FRACTION_STEPS));
  return {
    x: x / FRACTION_STEPS,
    y: y / FRACTION_STEPS,
    width: (right - x) / FRACTION_STEPS,
    height: (bottom - y) / FRACTION_STEPS,
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
    return [roundFraction(clampFraction(across)), roundFraction(clampFraction(down))];
  });
}
