/**
 * Numbers of a container that are written anew: what is out of the range that a number of its kind has is no such number, and may be
 * text that somebody put there.
 */
export function bounded(value: number | undefined, most: number, otherwise = 0): number {
  return value !== undefined && value >= 0 && value <= most ? value : otherwise;
}
