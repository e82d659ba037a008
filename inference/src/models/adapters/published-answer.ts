import type { Category } from "../../detections/categories.ts";
import type { Box } from "../../geometry/box.ts";

/** The outputs of one view, and the thresholds for reading them. */
export interface PublishedAnswer {
  /** Returns an output by its name. Throws if the network has no such output. */
  readonly output: (name: string) => Float32Array;
  /** Size of the network's input in pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** Least confidence of each requested category. */
  readonly thresholds: ReadonlyMap<Category, number>;
}

/** A candidate before suppression, with its box in pixels of the network's input. */
export interface Candidate {
  readonly category: Category;
  readonly confidence: number;
  readonly box: Box;
}

/**
 * A cell of a grid over the network's input: its index in row-major order, the grid's number of columns, and its stride in
 * pixels.
 */
interface GridCell {
  readonly index: number;
  readonly columns: number;
  readonly stride: number;
}

/**
 * The box that an anchor-free network predicts at a cell, in pixels of its input (Ge et al. 2021, YOLOX).
 * @param offsets Distance of the box's center from the cell's corner, in strides.
 * @param logarithms Logarithms of the width and height, in strides.
 */
export function boxAtCell(
  { index, columns, stride }: GridCell,
  [offsetX, offsetY]: readonly [number, number],
  [logWidth, logHeight]: readonly [number, number],
): Box {
  const centreX = ((index % columns) + offsetX) * stride;
  const centreY = (Math.floor(index / columns) + offsetY) * stride;
  const halfWidth = (Math.exp(logWidth) * stride) / 2;
  const halfHeight = (Math.exp(logHeight) * stride) / 2;
  return {
    left: centreX - halfWidth,
    top: centreY - halfHeight,
    right: centreX + halfWidth,
    bottom: centreY + halfHeight,
  };
}
