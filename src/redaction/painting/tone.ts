/**
 * A legible cell takes the mean of what stays visible around it, its brightness moved so far towards middle grey: whoever
 * looks must see that something is hidden, also on a plain ground.
 */
export const LEGIBLE_GREY_SHARE = 0.5;

/**
 * Weights of the cell before, the cell itself and the cell after at a place in a cell, `position` running over 0…1:
 * linear interpolation between cell centres.
 */
export function interpolationWeights(
  position: number,
): readonly [before: number, own: number, after: number] {
  return position < 0.5 ? [0.5 - position, 0.5 + position, 0] : [0, 1.5 - position, position - 0.5];
}
