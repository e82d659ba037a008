/** A Pareto distribution that ends at `most`: the smaller `shape`, the heavier the tail. */
export interface BoundedPareto {
  readonly shape: number;
  readonly least: number;
  readonly most: number;
}

/** Draws from an exponential distribution by the inverse of its distribution function. */
export function drawExponential(random: () => number, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** Draws from a bounded Pareto distribution by the inverse of its distribution function. */
export function drawPareto(random: () => number, { shape, least, most }: BoundedPareto): number {
  const cut = 1 - (least / most) ** shape;
  return least * (1 - random() * cut) ** (-1 / shape);
}

/** The mean of a bounded Pareto distribution whose shape isn't 1 (Wikipedia, "Pareto distribution", bounded). */
export function meanOfPareto({ shape, least, most }: BoundedPareto): number {
  const cut = 1 - (least / most) ** shape;
  return ((least ** shape / cut) * shape * (least ** (1 - shape) - most ** (1 - shape))) / (shape - 1);
}
