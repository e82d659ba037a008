import { profileOf } from "../../../pixels/redaction/regions/margins.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { MIN_CELL_PX } from "../../../pixels/redaction/regions/coverage.ts";

/**
 * As in photos: the most cells across the shorter side of a pictorial region, and the size of a legible region's cell in
 * shorter sides.
 */
const MAX_CELLS_ACROSS = 6;
const LEGIBLE_CELL_PER_SHORT_SIDE = 2;
/** The grid becomes finer again only if the wanted size is below this share of the last one. This avoids flicker near a step. */
const RETURN_SHARE = 0.42;

/**
 * Side of a region's cells in pixels: 16 · 2^level, never finer than photos allow. It stays at the previous frame's size while
 * that is coarse enough.
 */
export function cellSizePx(
  category: RedactionCategory,
  shortSidePx: number,
  lastPx: number | undefined,
): number {
  const isLegible = profileOf(category).detail === "legible";
  const wantedPx = isLegible ? shortSidePx * LEGIBLE_CELL_PER_SHORT_SIDE : shortSidePx / MAX_CELLS_ACROSS;
  const level = Math.max(0, Math.ceil(Math.log2(wantedPx / MIN_CELL_PX)));
  const leastPx = MIN_CELL_PX * 2 ** level;
  if (lastPx === undefined || lastPx < leastPx || wantedPx < RETURN_SHARE * lastPx) return leastPx;
  return lastPx;
}
