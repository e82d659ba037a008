/**
 * The share by which a legible cell's brightness moves toward middle gray. The cell takes the mean of the visible units around
 * it; the shift lets a viewer see that something is hidden, even on a plain background.
 */
export const LEGIBLE_GREY_SHARE = 0.5;

/**
 * Weights of the previous cell, the cell itself and the next cell for linear interpolation between cell centers. `position`
 * runs from 0 to 1 within the cell.
 */
export function interpolationWeights(
  position: number,
): readonly [before: number, own: number, after: number] {
  return position < 0.5 ? [0.5 - position, 0.5 + position, 0] : [0, 1.5 - position, position - 0.5];
}
