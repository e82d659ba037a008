import { LEGIBLE_GREY_SHARE } from "../../../pixels/redaction/painting/tone.ts";
import type { CoarseFrame } from "../sampling/coarse-frame.ts";
import { CHANNELS } from "./cell-colours.ts";
import type { CoarseOwners } from "./coarse-owners.ts";
import type { Footprint } from "./footprint.ts";
import { type Grid, gridSize } from "./grid.ts";

/**
 * Distance around a region within which visible pixels determine its tone: a share of its shorter side, but at least this many
 * pixels.
 */
const REACH_SHARE = 0.5;
const LEAST_REACH_PX = 32;
/** The color used if nothing is visible: middle gray. */
const GREY = 128;

/**
 * The tone of each legible cell: Y′, Cb, Cr, row by row. Nothing under any region is read. A cell has the mean color of the
 * visible pixels around its part of the region. Its brightness is moved toward middle gray so that the mask is noticeable, as
 * in photos: Y + g·(128 − Y) with g = {@link LEGIBLE_GREY_SHARE}.
 */
export function surroundingTones(args: {
  grid: Grid;
  footprint: Footprint;
  coarse: CoarseFrame;
  owners: CoarseOwners;
  frameWidth: number;
  frameHeight: number;
}): Float64Array {
  const { grid, footprint, coarse, owners, frameWidth, frameHeight } = args;
  const { columns, rows } = gridSize(grid);
  const tones = new Float64Array(columns * rows * CHANNELS);
  const { left, top, right, bottom } = footprint;
  const reach = Math.max(LEAST_REACH_PX, REACH_SHARE * Math.min(right - left, bottom - top));
  for (let index = 0; index < columns * rows; index++) {
    const cellLeft = grid.originX + (grid.firstColumn + (index % columns)) * grid.cellPx;
    const cellTop = grid.originY + (grid.firstRow + Math.floor(index / columns)) * grid.cellPx;
    const around = {
      left: (Math.max(left, cellLeft) - reach) / frameWidth,
      top: (Math.max(top, cellTop) - reach) / frameHeight,
      right: (Math.min(right, cellLeft + grid.cellPx) + reach) / frameWidth,
      bottom: (Math.min(bottom, cellTop + grid.cellPx) + reach) / frameHeight,
    };
    const { width, height, chromaWidth, chromaHeight } = coarse;
    const luma = visibleMean({ values: coarse.luma, width, height }, around, (x, y) =>
      owners.isLumaVisible(x, y),
    );
    const chroma = (values: Uint8Array): number | undefined =>
      visibleMean({ values, width: chromaWidth, height: chromaHeight }, around, (x, y) =>
        owners.isChromaVisible(x, y),
      );
    tones[index * CHANNELS] = luma === undefined ? GREY : luma + LEGIBLE_GREY_SHARE * (GREY - luma);
    tones[index * CHANNELS + 1] = chroma(coarse.chromaBlue) ?? GREY;
    tones[index * CHANNELS + 2] = chroma(coarse.chromaRed) ?? GREY;
  }
  return tones;
}

/** Mean of a plane's visible values within an area, which is given in 0…1 of the frame. */
function visibleMean(
  { values, width, height }: { readonly values: Uint8Array; readonly width: number; readonly height: number },
  area: { left: number; top: number; right: number; bottom: number },
  isVisible: (column: number, row: number) => boolean,
): number | undefined {
  let sum = 0;
  let count = 0;
  const endRow = Math.min(height, Math.ceil(area.bottom * height));
  const endColumn = Math.min(width, Math.ceil(area.right * width));
  for (let row = Math.max(0, Math.floor(area.top * height)); row < endRow; row++) {
    for (let column = Math.max(0, Math.floor(area.left * width)); column < endColumn; column++) {
      if (!isVisible(column, row)) continue;
      sum += values[row * width + column] as number;
      count++;
    }
  }
  return count === 0 ? undefined : sum / count;
}
