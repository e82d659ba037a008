import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import { type CellColours, CHANNELS } from "./cell-colours.ts";
import type { Footprint } from "./footprint.ts";
import { gridSize } from "./grid.ts";

/** What to paint and where: `data` is a raw yuva420p picture of the given size, which is modified. */
export interface PaintTask {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly footprint: Footprint;
  readonly colours: CellColours;
  readonly method: RedactionMethod;
}

/** Paints a footprint in its cells' colors and sets alpha there, two luma rows and their chroma at a time. */
export function paintFootprint({ data, width, height, footprint, colours, method }: PaintTask): void {
  const chromaWidth = Math.ceil(width / 2);
  const blue = width * height;
  const red = blue + chromaWidth * Math.ceil(height / 2);
  const alpha = data.length - blue;
  const line = new CellLine(colours, method);
  for (let top = Math.max(0, footprint.top); top < Math.min(height, footprint.bottom); top += 2) {
    const columns = footprint.columnsAt(top);
    if (columns === undefined) continue;
    const [first, end] = columns;
    line.moveTo(top + 1);
    const chromaRow = (top / 2) * chromaWidth;
    line.paint(
      data.subarray(blue + chromaRow, blue + chromaRow + chromaWidth),
      first / 2,
      Math.ceil(end / 2),
      1,
      2,
    );
    line.paint(
      data.subarray(red + chromaRow, red + chromaRow + chromaWidth),
      first / 2,
      Math.ceil(end / 2),
      2,
      2,
    );
    line.paint(data.subarray(top * width, (top + 1) * width), first, end, 0, 1);
    data.fill(255, alpha + top * width + first, alpha + top * width + end);
    if (top + 1 < height) {
      data.copyWithin((top + 1) * width + first, top * width + first, top * width + end);
      data.fill(255, alpha + (top + 1) * width + first, alpha + (top + 1) * width + end);
    }
  }
}

/** Colors along one line of a grid. */
class CellLine {
  readonly #colours: CellColours;
  readonly #method: RedactionMethod;
  readonly #columns: number;
  readonly #rows: number;
  /** The line's color in each column of cells. */
  readonly #values: Float64Array;

  constructor(colours: CellColours, method: RedactionMethod) {
    const { columns, rows } = gridSize(colours.grid);
    this.#colours = colours;
    this.#method = method;
    this.#columns = columns;
    this.#rows = rows;
    this.#values = new Float64Array(columns * CHANNELS);
  }

  /** Moves to a height in pixels: within a flat cell, or between the centers of two cells. */
  moveTo(y: number): void {
    const { grid, values } = this.#colours;
    const position = (y - grid.originY) / grid.cellPx - grid.firstRow;
    const [upper, lower, share] = this.#neighbours(position, this.#rows);
    const stride = this.#columns * CHANNELS;
    for (let index = 0; index < stride; index++) {
      const from = values[upper * stride + index] as number;
      const to = values[lower * stride + index] as number;
      this.#values[index] = from + (to - from) * share;
    }
  }

  /** Writes one channel into columns `first` to `end` (exclusive) of a row whose samples are `samplePx` wide. */
  paint(row: Uint8Array, first: number, end: number, channel: number, samplePx: number): void {
    const { grid } = this.#colours;
    const scale = samplePx / grid.cellPx;
    const offset = (0.5 * samplePx - grid.originX) / grid.cellPx - grid.firstColumn;
    for (let column = first; column < end;) {
      const position = column * scale + offset;
      const [left, right, share] = this.#neighbours(position, this.#columns);
      const from = this.#values[left * CHANNELS + channel] as number;
      const to = this.#values[right * CHANNELS + channel] as number;
      // Paint up to where the pair of cells changes: a cell's border if cells are flat, its center if they are interpolated.
      const half = this.#method === "blur" ? 0.5 : 0;
      const border = Math.floor(position - half) + 1 + half;
      const stop = Math.min(end, Math.max(column + 1, Math.ceil((border - offset) / scale)));
      if (from === to || (share === 0 && this.#method === "pixelation"))
        row.fill(Math.round(from), column, stop);
      else {
        const slope = (to - from) * scale;
        let value = from + (to - from) * share + 0.5;
        for (let at = column; at < stop; at++, value += slope) row[at] = value;
      }
      column = stop;
    }
  }

  /** The two cells between which a position lies, and the share of the second one. The position is in cells. */
  #neighbours(position: number, count: number): readonly [number, number, number] {
    const last = count - 1;
    if (this.#method === "pixelation") {
      const cell = Math.max(0, Math.min(last, Math.floor(position)));
      return [cell, cell, 0];
    }
    const before = Math.floor(position - 0.5);
    const from = Math.max(0, Math.min(last, before));
    const to = Math.max(0, Math.min(last, before + 1));
    return [from, to, position - 0.5 - before];
  }
}
