/** How the cells of a region are painted: flat, or interpolated between their centres. */
export type RedactionMethod = "blur" | "pixelation";

/**
 * Steps into which a legible cell's mean is rounded, of 256. A line of text changes its mean by a few levels from one
 * wording to another; steps this wide leave nearly every wording of a line with the same tone.
 */
export const LEGIBLE_STEP = 32;

/** Rounds an 8-bit mean to what a cell may tell: whole levels, or for legible cells the middle of wide steps. */
export function roundTone(mean: number, isLegibleCell: boolean): number {
  if (!isLegibleCell) return Math.round(mean);
  return Math.min(255, Math.round(mean / LEGIBLE_STEP) * LEGIBLE_STEP);
}

/**
 * Weights of the cell before, the cell itself and the cell after at a place in a cell, `position` running over 0…1:
 * linear interpolation between cell centres.
 */
export function interpolationWeights(
  position: number,
): readonly [before: number, own: number, after: number] {
  return position < 0.5 ? [0.5 - position, 0.5 + position, 0] : [0, 1.5 - position, position - 0.5];
}
