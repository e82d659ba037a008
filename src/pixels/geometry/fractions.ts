import type { Box, Point } from "./box.ts";

/** Stored and answered fractions have five decimals: they are multiples of 1 / 100,000. */
export const FRACTION_STEPS = 1e5;

/** A fraction with five decimals. */
export function roundFraction(value: number): number {
  return Math.round(value * FRACTION_STEPS) / FRACTION_STEPS;
}

/** The fraction in 0…1 that is nearest to a number. */
export function clampFraction(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The part of a box that lies in the picture, in fractions with five decimals. */
export function clippedBox([left, top, width, height]: Box): Box {
  const [x, y] = [inPicture(left), inPicture(top)];
  return [x, y, roundFraction(inPicture(left + width) - x), roundFraction(inPicture(top + height) - y)];
}

/** The point of the picture that is nearest to a point, in fractions with five decimals. */
export function clippedPoint([x, y]: Point): Point {
  return [inPicture(x), inPicture(y)];
}

function inPicture(value: number): number {
  return roundFraction(clampFraction(value));
}
