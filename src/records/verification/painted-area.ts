import { meets, type PixelSize } from "../../pixels/geometry/box.ts";
import type { Region } from "../../pixels/redaction/index.ts";
import { shapeOf, type Shape } from "../../pixels/redaction/regions/shapes.ts";

/** Lines across an outline. Masks have at least 16 px, so finer lines would find nothing else. */
const LINES = 24;

type Span = readonly [from: number, to: number];

/** The painted area of a picture, at any resolution. */
export class PaintedArea {
  readonly #shapes: readonly Shape[];
  readonly #width: number;
  readonly #height: number;

  constructor(regions: readonly Region[], { width, height }: PixelSize) {
    this.#width = width;
    this.#height = height;
    this.#shapes = regions.map((region) => shapeOf(region, width, height));
  }

  /** The share of an outline that is painted, 0…1. */
  shareOf(outline: Region): number {
    const shape = shapeOf(outline, this.#width, this.#height);
    const { top, bottom } = shape;
    const near = this.#shapes.filter((other) => meets(other, shape));
    if (near.length === 0) return 0;
    let [all, painted] = [0, 0];
    for (let line = 0; line < LINES; line += 1) {
      const y = top + ((line + 0.5) / LINES) * (bottom - top);
      const own = shape.spanInBand(y, y);
      if (own === undefined) continue;
      all += own[1] - own[0];
      painted += lengthOf(near.flatMap((other) => spanWithin(other, y, own)));
    }
    return all === 0 ? 0 : painted / all;
  }
}

/** The part of a span that a shape paints on one line. */
function spanWithin(shape: Shape, y: number, [from, to]: Span): Span[] {
  const span = shape.spanInBand(y, y);
  if (span === undefined) return [];
  const part: Span = [Math.max(from, span[0]), Math.min(to, span[1])];
  return part[0] < part[1] ? [part] : [];
}

/** The length of the union of some spans. */
function lengthOf(spans: readonly Span[]): number {
  let [length, end] = [0, -Infinity];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    length += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return length;
}
