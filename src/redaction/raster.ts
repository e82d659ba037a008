import { type CellColours, CellSums, type Neighbourhood } from "./cells.ts";
import { Coverage, levelOf, MIN_CELL_PX } from "./coverage.ts";
import type { Region } from "./regions.ts";
import { interpolationWeights, type RedactionMethod, roundTone } from "./tone.ts";

/** 8-bit red, green, blue, alpha, not premultiplied, row by row. */
export interface RgbaRaster {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const LATTICE = { baseWidthPx: MIN_CELL_PX, baseHeightPx: MIN_CELL_PX } as const;
const CHANNELS = 4;

/**
 * Hides all regions in place and returns how many pixels were painted.
 *
 * A cell keeps the mean of its alpha and the alpha-weighted mean of its colours, Σcα/Σα, each rounded to whole levels.
 */
export function redactRaster(
  raster: RgbaRaster,
  regions: readonly Region[],
  method: RedactionMethod,
): number {
  const { width, height } = raster;
  const coverage = new Coverage({ regions, width, height, lattice: LATTICE });
  const [firstRow, endRow] = coverage.rowRangePx;
  const end = Math.min(endRow, height);
  const sums = new CellSums(CHANNELS);
  forEachRun({ coverage, width, firstRow, endRow: end }, (run) => addRun(raster, sums, run));
  const colours = sums.settle({ lattice: LATTICE, unitWidthPx: 1, unitHeightPx: 1, tone: rgbaTone });
  let paintedPixels = 0;
  forEachRun({ coverage, width, firstRow, endRow: end }, (run) => {
    paintRun(raster, colours, run, method);
    paintedPixels += run.end - run.start;
  });
  return paintedPixels;
}

/** Pixels of one row, from column `start` up to `end`, that lie in one cell. */
interface Run {
  readonly y: number;
  readonly start: number;
  readonly end: number;
  readonly cellClass: number;
  readonly cellColumn: number;
  readonly cellRow: number;
  readonly cellPx: number;
}

function forEachRun(
  area: { coverage: Coverage; width: number; firstRow: number; endRow: number },
  visit: (run: Run) => void,
): void {
  const { coverage, width, firstRow, endRow } = area;
  const classes = new Uint8Array(width);
  for (let y = firstRow; y < endRow; y++) {
    if (!coverage.fillRow({ classes, unitWidthPx: 1, top: y, bottom: y + 1 })) continue;
    for (let start = 0; start < width;) {
      const cellClass = classes[start] ?? 0;
      if (cellClass === 0) {
        start++;
        continue;
      }
      const cellPx = MIN_CELL_PX * 2 ** levelOf(cellClass);
      const cellColumn = Math.floor(start / cellPx);
      const cellEnd = Math.min(width, (cellColumn + 1) * cellPx);
      let end = start + 1;
      while (end < cellEnd && classes[end] === cellClass) end++;
      visit({ y, start, end, cellClass, cellColumn, cellRow: Math.floor(y / cellPx), cellPx });
      start = end;
    }
  }
}

function addRun({ data, width }: RgbaRaster, sums: CellSums, run: Run): void {
  const cell = sums.at(run.cellClass, run.cellColumn, run.cellRow);
  let red = 0;
  let green = 0;
  let blue = 0;
  let alphas = 0;
  for (let at = (run.y * width + run.start) * 4, end = (run.y * width + run.end) * 4; at < end; at += 4) {
    const alpha = data[at + 3] ?? 0;
    red += (data[at] ?? 0) * alpha;
    green += (data[at + 1] ?? 0) * alpha;
    blue += (data[at + 2] ?? 0) * alpha;
    alphas += alpha;
  }
  cell.sums[0] = (cell.sums[0] ?? 0) + red;
  cell.sums[1] = (cell.sums[1] ?? 0) + green;
  cell.sums[2] = (cell.sums[2] ?? 0) + blue;
  cell.sums[3] = (cell.sums[3] ?? 0) + alphas;
  cell.count += run.end - run.start;
}

function rgbaTone(sums: Float64Array, count: number, isLegibleCell: boolean): readonly number[] {
  const alphas = sums[3] ?? 0;
  if (alphas === 0) return [0, 0, 0, 0];
  const colours = [0, 1, 2].map((channel) => roundTone((sums[channel] ?? 0) / alphas, isLegibleCell));
  return [...colours, roundTone(alphas / count, isLegibleCell)];
}

function paintRun(
  { data, width }: RgbaRaster,
  colours: CellColours,
  run: Run,
  method: RedactionMethod,
): void {
  const first = run.y * width;
  if (method === "pixelation") {
    const [red = 0, green = 0, blue = 0, alpha = 0] = colours.valueOf(
      run.cellClass,
      run.cellColumn,
      run.cellRow,
    );
    for (let x = run.start; x < run.end; x++) {
      data.set([red, green, blue, alpha], (first + x) * 4);
    }
    return;
  }
  const around = colours.around(run.cellClass, run.cellColumn, run.cellRow);
  const columns = mixRows(around, (run.y + 0.5) / run.cellPx - run.cellRow);
  for (let x = run.start; x < run.end; x++) {
    const weights = interpolationWeights((x + 0.5) / run.cellPx - run.cellColumn);
    for (let channel = 0; channel < CHANNELS; channel++) {
      let value = 0;
      for (let column = 0; column < 3; column++) {
        value += (weights[column] ?? 0) * (columns[column]?.[channel] ?? 0);
      }
      data[(first + x) * 4 + channel] = Math.round(value);
    }
  }
}

/** Mixes a neighbourhood's three rows at a height inside the cell: one value a column of cells and channel. */
function mixRows(around: Neighbourhood, position: number): readonly (readonly number[])[] {
  const weights = interpolationWeights(position);
  return [0, 1, 2].map((column) =>
    Array.from({ length: CHANNELS }, (_, channel) =>
      [0, 1, 2].reduce(
        (sum, row) => sum + (weights[row] ?? 0) * (around[3 * row + column]?.[channel] ?? 0),
        0,
      ),
    ),
  );
}
