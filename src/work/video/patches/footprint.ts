import type { Region } from "../../../pixels/redaction/regions/regions.ts";
import { shapeOf } from "../../../pixels/redaction/regions/shapes.ts";

/** Pixels of a frame that a region paints: whole 2×2 blocks, so that none of their chroma samples keeps any of the source. */
export interface Footprint {
  /** Sides in pixels, before clipping to the frame; even numbers. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Center of the region itself, not rounded to blocks. */
  readonly centreX: number;
  readonly centreY: number;
  /** Painted columns of the two rows from `top` on, from `first` to `end` (exclusive); undefined if there are none. */
  columnsAt(top: number): readonly [first: number, end: number] | undefined;
}

/**
 * Blocks within a pixel of the shape count too. Wherever chroma samples are sited (ITU-T H.273, 8.7), the filter of a visible
 * sample then reaches no hidden pixel.
 */
const CHROMA_REACH_PX = 1;

/** The pixels that a region paints in a frame of the given size; undefined if the region is outside the frame. */
export function footprintOf(region: Region, width: number, height: number): Footprint | undefined {
  const shape = shapeOf(region, width, height);
  if (shape.right <= 0 || shape.bottom <= 0 || shape.left >= width || shape.top >= height) return undefined;
  const [left, right] = even(shape.left, shape.right);
  const [top, bottom] = even(shape.top, shape.bottom);
  return {
    left,
    top,
    right,
    bottom,
    centreX: (shape.left + shape.right) / 2,
    centreY: (shape.top + shape.bottom) / 2,
    columnsAt(row) {
      const span = shape.spanInBand(row - CHROMA_REACH_PX, row + 2 + CHROMA_REACH_PX);
      if (span === undefined) return undefined;
      const [from, to] = even(span[0], span[1]);
      const first = Math.max(0, from);
      const end = Math.min(width, to);
      return first < end ? [first, end] : undefined;
    },
  };
}

/** The whole blocks that contain an interval and the reach of its chroma filters. */
function even(from: number, to: number): readonly [from: number, to: number] {
  return [2 * Math.floor((from - CHROMA_REACH_PX) / 2), 2 * Math.ceil((to + CHROMA_REACH_PX) / 2)];
}
