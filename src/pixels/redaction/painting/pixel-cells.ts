import type { CellColours, CellSums, CellTone } from "./cells.ts";
import { BESIDE, isLegible, levelOf, MIN_CELL_PX } from "../regions/coverage.ts";
import { interpolationWeights, LEGIBLE_GREY_SHARE } from "./tone.ts";
import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";

/** The lattice of pictures that are painted by the pixel. */
export const PIXEL_LATTICE = { baseWidthPx: MIN_CELL_PX, baseHeightPx: MIN_CELL_PX, unitPx: 1 } as const;

/** Channels summed per pixel: red, green and blue, each times alpha, and alpha itself. */
export const PIXEL_CHANNELS = 4;

/** Adjacent pixels of one row, from index `start` up to but not including `end`, that lie in one cell or beside it. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly y: number;
  /** The pixels' class. `BESIDE` is added if the pixels stay visible. */
  readonly unitClass: number;
  readonly cellColumn: number;
  readonly cellRow: number;
  readonly cellPx: number;
}

/** The picture columns that a row holds: all of them, or every `stepX`-th from `firstX` in an interlaced pass. */
export interface Columns {
  readonly firstX: number;
  readonly stepX: number;
}

/** Splits the pixels of a row that have a class into runs. `classes` has one entry for each pixel of the row. */
export function forEachRun(
  { classes, y, firstX, stepX }: Columns & { readonly classes: Uint8Array; readonly y: number },
  visit: (run: Run) => void,
): void {
  const fours = new Uint32Array(classes.buffer, classes.byteOffset, classes.length >> 2);
  for (let start = 0; start < classes.length;) {
    const unitClass = classes[start] as number;
    if (unitClass === 0) {
      start++;
      if ((start & 3) === 0) while (fours[start >> 2] === 0) start += 4;
      continue;
    }
    const cellPx = MIN_CELL_PX * 2 ** levelOf(unitClass > BESIDE ? unitClass - BESIDE : unitClass);
    const cellColumn = Math.floor((firstX + start * stepX) / cellPx);
    const cellEnd = Math.min(classes.length, Math.ceil(((cellColumn + 1) * cellPx - firstX) / stepX));
    const fourAlike = unitClass * 0x01010101;
    let end = start + 1;
    while (end < cellEnd && classes[end] === unitClass) {
      end++;
      if ((end & 3) === 0) while (end + 4 <= cellEnd && fours[end >> 2] === fourAlike) end += 4;
    }
    visit({ start, end, y, unitClass, cellColumn, cellRow: Math.floor(y / cellPx), cellPx });
    start = end;
  }
}

/** Whether a run is painted. */
export function isPainted({ unitClass }: Run): boolean {
  return unitClass < BESIDE;
}

/** Whether a run's pixels are added up. Pixels under legible regions are not. */
export function isSummed({ unitClass }: Run): boolean {
  return unitClass > BESIDE || !isLegible(unitClass);
}

/** Adds a run's sums to its cell. */
export function addToCell(cells: CellSums, run: Run, sums: Float64Array): void {
  const cell = cells.at(run.unitClass, run.cellColumn, run.cellRow);
  if (cell === undefined) return;
  for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
    cell.sums[channel] = (cell.sums[channel] as number) + (sums[channel] as number);
  }
  cell.count += run.end - run.start;
}

const GREY_LEVEL = 128;
const OPAQUE = 255;

/**
 * Tones of pixels, in 8-bit levels. They are opaque whatever alpha the pixels had, because alpha can carry a picture as color
 * does. A color is the mean of the pixels over middle gray, (Σcα + 128·Σ(255 − α)) / 255n: each color counts as much as it is
 * visible, and one opaque pixel among transparent ones counts no more than any other. A legible cell has the color of its
 * surroundings with its brightness Y (T.871) moved toward middle gray by the share g = {@link LEGIBLE_GREY_SHARE}: c' = c +
 * g·(128 − Y).
 */
export const pixelTone: CellTone = {
  ofCell(sums, count) {
    return [...overGrey(sums, count).map(Math.round), OPAQUE];
  },
  ofSurroundings(sums, count) {
    if (count === 0) return [GREY_LEVEL, GREY_LEVEL, GREY_LEVEL, OPAQUE];
    const colour = overGrey(sums, count);
    const [red = 0, green = 0, blue = 0] = colour;
    const change = LEGIBLE_GREY_SHARE * (GREY_LEVEL - (0.299 * red + 0.587 * green + 0.114 * blue));
    return [...colour.map((level) => Math.max(0, Math.min(255, Math.round(level + change)))), OPAQUE];
  },
};

/** Mean red, green and blue of `count` pixels over middle gray. */
function overGrey(sums: Float64Array, count: number): number[] {
  const grey = GREY_LEVEL * (OPAQUE * count - (sums[3] ?? 0));
  return Array.from(sums.subarray(0, 3), (sum) => (sum + grey) / (OPAQUE * count));
}

/** Pixels of a run whose colors change linearly: `from` at `start`, plus `step` at each further pixel. */
export interface Ramp {
  start: number;
  end: number;
  /** Red, green, blue and alpha in 8-bit levels. */
  readonly from: Float64Array;
  readonly step: Float64Array;
}

/** Computes the colors of covered pixels. */
export class PixelPainter {
  readonly #colours: CellColours;
  readonly #method: RedactionMethod;
  /** The values of three adjacent cells, interpolated to the run's row: red, green, blue and alpha of each cell. */
  readonly #mixed = new Float64Array(3 * PIXEL_CHANNELS);
  readonly #ramp: Ramp = {
    start: 0,
    end: 0,
    from: new Float64Array(PIXEL_CHANNELS),
    step: new Float64Array(PIXEL_CHANNELS),
  };

  constructor(colours: CellColours, method: RedactionMethod) {
    this.#colours = colours;
    this.#method = method;
  }

  /** Splits a run into ramps: one ramp for pixelation, otherwise one on each side of the cell's center. */
  forEachRamp(run: Run, { firstX, stepX }: Columns, visit: (ramp: Ramp) => void): void {
    const ramp = this.#ramp;
    const { start, end, cellColumn, cellPx } = run;
    if (this.#method === "pixelation") {
      const { unitClass, cellRow } = run;
      ramp.from.set(this.#colours.valueOf(unitClass, cellColumn, cellRow));
      ramp.step.fill(0);
      ramp.start = start;
      ramp.end = end;
      visit(ramp);
      return;
    }
    this.#mix(run);
    const centre = Math.ceil(((cellColumn + 0.5) * cellPx - 0.5 - firstX) / stepX);
    const middle = Math.max(start, Math.min(end, centre));
    const columnPx = firstX + 0.5 - cellColumn * cellPx;
    if (start < middle) this.#visitRamp({ start, end: middle, columnPx, stepX, cellPx }, visit);
    if (middle < end) this.#visitRamp({ start: middle, end, columnPx, stepX, cellPx }, visit);
  }

  #visitRamp(
    {
      start,
      end,
      columnPx,
      stepX,
      cellPx,
    }: { start: number; end: number; columnPx: number; stepX: number; cellPx: number },
    visit: (ramp: Ramp) => void,
  ): void {
    const ramp = this.#ramp;
    const first = interpolationWeights((columnPx + start * stepX) / cellPx);
    const last = interpolationWeights((columnPx + (end - 1) * stepX) / cellPx);
    for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
      const from = this.#weigh(first, channel);
      ramp.from[channel] = from;
      ramp.step[channel] = end - start === 1 ? 0 : (this.#weigh(last, channel) - from) / (end - start - 1);
    }
    ramp.start = start;
    ramp.end = end;
    visit(ramp);
  }

  #mix({ unitClass, cellColumn, cellRow, cellPx, y }: Run): void {
    const around = this.#colours.around(unitClass, cellColumn, cellRow);
    const weights = interpolationWeights((y + 0.5) / cellPx - cellRow);
    this.#mixed.fill(0);
    for (let index = 0; index < around.length; index++) {
      const values = around[index] as readonly number[];
      const weight = weights[Math.floor(index / 3)] as number;
      for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
        const at = (index % 3) * PIXEL_CHANNELS + channel;
        this.#mixed[at] = (this.#mixed[at] as number) + weight * (values[channel] as number);
      }
    }
  }

  #weigh([before, own, after]: readonly [number, number, number], channel: number): number {
    const mixed = this.#mixed;
    return (
      before * (mixed[channel] as number) +
      own * (mixed[channel + PIXEL_CHANNELS] as number) +
      after * (mixed[channel + 2 * PIXEL_CHANNELS] as number)
    );
  }
}
