import type { CellColours, CellSums } from "./cells.ts";
import { type CellClass, levelOf, MIN_CELL_PX } from "./coverage.ts";
import { interpolationWeights, type RedactionMethod, roundColour, roundTone } from "./tone.ts";

/** The lattice of pictures that are painted pixel by pixel. */
export const PIXEL_LATTICE = { baseWidthPx: MIN_CELL_PX, baseHeightPx: MIN_CELL_PX, unitPx: 1 } as const;

/** Channels summed for a pixel: red, green and blue, each times alpha, and alpha. */
export const PIXEL_CHANNELS = 4;

/** Neighbouring pixels of one row, from index `start` up to `end`, that lie in one cell. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly y: number;
  readonly cellClass: CellClass;
  readonly cellColumn: number;
  readonly cellRow: number;
  readonly cellPx: number;
}

/** Which columns of the picture a row holds: all of them, or every so many of an interlaced pass. */
export interface Columns {
  readonly firstX: number;
  readonly stepX: number;
}

/** Cuts the covered pixels of a row into runs. `classes` has one entry for each pixel the row holds. */
export function forEachRun(
  { classes, y, firstX, stepX }: Columns & { readonly classes: Uint8Array; readonly y: number },
  visit: (run: Run) => void,
): void {
  for (let start = 0; start < classes.length;) {
    const cellClass = classes[start] as number;
    if (cellClass === 0) {
      start++;
      continue;
    }
    const cellPx = MIN_CELL_PX * 2 ** levelOf(cellClass);
    const cellColumn = Math.floor((firstX + start * stepX) / cellPx);
    const cellEnd = Math.min(classes.length, Math.ceil(((cellColumn + 1) * cellPx - firstX) / stepX));
    let end = start + 1;
    while (end < cellEnd && classes[end] === cellClass) end++;
    visit({ start, end, y, cellClass, cellColumn, cellRow: Math.floor(y / cellPx), cellPx });
    start = end;
  }
}

/** Adds a run's sums to its cell. */
export function addToCell(cells: CellSums, run: Run, sums: Float64Array): void {
  const cell = cells.at(run.cellClass, run.cellColumn, run.cellRow);
  for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
    cell.sums[channel] = (cell.sums[channel] as number) + (sums[channel] as number);
  }
  cell.count += run.end - run.start;
}

/**
 * What a cell of pixels keeps: the mean of its alpha and the alpha-weighted mean of its colours, Σcα/Σα, in 8-bit levels,
 * so that colours nobody sees have no weight.
 */
export function pixelTone(sums: Float64Array, count: number, isLegibleCell: boolean): readonly number[] {
  const alphas = sums[3] ?? 0;
  const alpha = roundTone(alphas / count, isLegibleCell);
  if (alpha === 0) return [0, 0, 0, 0];
  const [red = 0, green = 0, blue = 0] = sums;
  return [...roundColour(red / alphas, green / alphas, blue / alphas, isLegibleCell), alpha];
}

/** Says the colour of each covered pixel. */
export class PixelPainter {
  private readonly colours: CellColours;
  private readonly method: RedactionMethod;
  private run: Run | undefined;
  /** The three cells side by side at the run's height: red, green, blue and alpha of each. */
  private readonly mixed = new Float64Array(3 * PIXEL_CHANNELS);

  constructor(colours: CellColours, method: RedactionMethod) {
    this.colours = colours;
    this.method = method;
  }

  /** Goes to a run. */
  moveTo(run: Run): void {
    this.run = run;
    const { cellClass, cellColumn, cellRow, cellPx, y } = run;
    const around = this.colours.around(cellClass, cellColumn, cellRow);
    const weights = this.method === "blur" ? interpolationWeights((y + 0.5) / cellPx - cellRow) : FLAT;
    this.mixed.fill(0);
    for (const [index, values] of around.entries()) {
      const weight = weights[Math.floor(index / 3)] ?? 0;
      for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
        const at = (index % 3) * PIXEL_CHANNELS + channel;
        this.mixed[at] = (this.mixed[at] as number) + weight * (values[channel] ?? 0);
      }
    }
  }

  /** Writes the colour of the run's pixel in column x of the picture, in 8-bit levels. */
  colourAt(x: number, colour: Float64Array): void {
    const { run, mixed } = this;
    if (run === undefined) return;
    const [before, own, after] =
      this.method === "blur" ? interpolationWeights((x + 0.5) / run.cellPx - run.cellColumn) : FLAT;
    for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
      colour[channel] =
        before * (mixed[channel] as number) +
        own * (mixed[channel + 4] as number) +
        after * (mixed[channel + 8] as number);
    }
  }
}

const FLAT = [0, 1, 0] as const;
