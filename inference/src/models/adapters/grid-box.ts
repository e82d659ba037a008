import type { Box } from "../../geometry/box.ts";

/** The cell of a grid over the network's picture: its number row by row, and the grid's columns and stride in pixels. */
export interface GridCell {
  readonly index: number;
  readonly columns: number;
  readonly stride: number;
}

/**
 * The box that a network without anchors answers at a cell, in pixels of its picture (Ge et al. 2021, YOLOX).
 * @param offsets Of the centre, in strides.
 * @param logarithms Of the width and height, in strides.
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
