/** How the cells of a region are painted: flat, or interpolated between their centres. */
export type RedactionMethod = "blur" | "pixelation";

/**
 * Steps into which a legible cell's mean is rounded, in 8-bit levels. A line of text moves its mean by some ten levels
 * from one wording to another; dark ink on a bright ground covers an eighth to a third of it, and then every wording
 * ends at the same step.
 */
export const LEGIBLE_STEP = 64;

/**
 * The same for colour differences. Ink and ground differ far less in them, and a region that kept no tint at all would
 * show a grey rim where its chroma blocks reach past its brightness blocks.
 */
export const LEGIBLE_CHROMA_STEP = 16;

/** Rounds an 8-bit mean to what a cell may tell: whole levels, or for legible cells wide steps. */
export function roundTone(mean: number, isLegibleCell: boolean): number {
  if (!isLegibleCell) return Math.round(mean);
  return Math.min(255, roundTo(mean, LEGIBLE_STEP));
}

/**
 * Rounds a mean colour. Legible cells round brightness and the two colour differences of T.871 (Y, B − Y, R − Y) apart, so
 * that a grey stays grey.
 */
export function roundColour(
  red: number,
  green: number,
  blue: number,
  isLegibleCell: boolean,
): readonly [red: number, green: number, blue: number] {
  if (!isLegibleCell) return [Math.round(red), Math.round(green), Math.round(blue)];
  const brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
  const blueDifference = roundTo((blue - brightness) / 1.772, LEGIBLE_CHROMA_STEP);
  const redDifference = roundTo((red - brightness) / 1.402, LEGIBLE_CHROMA_STEP);
  const level = roundTo(brightness, LEGIBLE_STEP);
  return [
    clampLevel(level + 1.402 * redDifference),
    clampLevel(level - 0.344136 * blueDifference - 0.714136 * redDifference),
    clampLevel(level + 1.772 * blueDifference),
  ];
}

function roundTo(value: number, step: number): number {
  return Math.round(value / step) * step;
}

function clampLevel(level: number): number {
  return Math.max(0, Math.min(255, Math.round(level)));
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
