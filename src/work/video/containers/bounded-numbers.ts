/**
 * Bounds a number that is rewritten into a container. A value out of range is invalid and may be hidden text, so `otherwise`
 * replaces it.
 */
export function bounded(value: number | undefined, most: number, otherwise = 0): number {
  return value !== undefined && value >= 0 && value <= most ? value : otherwise;
}
