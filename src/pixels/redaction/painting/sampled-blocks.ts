import { shapeOf } from "../regions/shapes.ts";
import type { Region } from "../regions/regions.ts";

/** Side of a block in samples, and its number of samples. */
export const BLOCK_SIDE = 8;
const BLOCK = BLOCK_SIDE * BLOCK_SIDE;
/** Most blocks that are read in one outline, and in all together. */
const MAX_BLOCKS_OF_OUTLINE = 64;
const MAX_BLOCKS = 8_192;
/** Fewest that are read in an outline, however many outlines there are. */
const MIN_BLOCKS_OF_OUTLINE = 4;

/** The blocks of a picture. JPEG components can have larger blocks than 8 × 8 pixels. */
export interface BlockGrid {
  readonly width: number;
  readonly height: number;
  readonly blockWidthPx: number;
  readonly blockHeightPx: number;
}

/** The samples of some blocks that are spread over outlines in a picture. */
export class SampledBlocks {
  /** By block, 64 gray levels or coefficients. */
  readonly #samples = new Map<number, Int16Array>();
  /** By row of blocks, the columns. */
  readonly #columns = new Map<number, number[]>();
  readonly #outlines: readonly (readonly number[])[];
  readonly #columnsOfGrid: number;

  constructor(outlines: readonly Region[], grid: BlockGrid) {
    this.#columnsOfGrid = Math.ceil(grid.width / grid.blockWidthPx);
    const most = Math.min(
      MAX_BLOCKS_OF_OUTLINE,
      Math.max(MIN_BLOCKS_OF_OUTLINE, Math.floor(MAX_BLOCKS / Math.max(1, outlines.length))),
    );
    this.#outlines = outlines.map((outline) =>
      placesIn(outline, grid, most).map(({ column, row }) => this.#add(column, row)),
    );
  }

  /** The columns of the sampled blocks in a row of blocks. */
  columnsOf(row: number): readonly number[] {
    return this.#columns.get(row) ?? [];
  }

  /** The samples of a block, to be filled in. Undefined if the block is not sampled. */
  at(column: number, row: number): Int16Array | undefined {
    return this.#samples.get(row * this.#columnsOfGrid + column);
  }

  /** The samples of the blocks in each outline. */
  ofOutlines(): readonly (readonly Int16Array[])[] {
    return this.#outlines.map((blocks) =>
      blocks.map((index) => this.#samples.get(index) ?? new Int16Array(BLOCK)),
    );
  }

  #add(column: number, row: number): number {
    const index = row * this.#columnsOfGrid + column;
    if (this.#samples.has(index)) return index;
    this.#samples.set(index, new Int16Array(BLOCK));
    const columns = this.#columns.get(row);
    if (columns === undefined) this.#columns.set(row, [column]);
    else columns.push(column);
    return index;
  }
}

interface Place {
  readonly column: number;
  readonly row: number;
}

/** The blocks whose middles lie in an outline, at most about `most`, evenly spread. The block in the middle if there is none. */
function placesIn(outline: Region, grid: BlockGrid, most: number): readonly Place[] {
  const { width, height, blockWidthPx, blockHeightPx } = grid;
  const shape = shapeOf(outline, width, height);
  const { left, top, right, bottom } = shape;
  const columns = Math.ceil(width / blockWidthPx);
  const rows = Math.ceil(height / blockHeightPx);
  const [firstRow, lastRow] = middlesIn([top, bottom], rows, blockHeightPx);
  const area = ((right - left) / blockWidthPx) * ((bottom - top) / blockHeightPx);
  const step = Math.max(1, Math.ceil(Math.sqrt(area / most)));
  const places: Place[] = [];
  for (let row = firstRow; row <= lastRow; row += step) {
    const middle = (row + 0.5) * blockHeightPx;
    const span = shape.spanInBand(middle, middle);
    if (span === undefined) continue;
    const [first, last] = middlesIn(span, columns, blockWidthPx);
    for (let column = first; column <= last; column += step) places.push({ column, row });
  }
  if (places.length > 0) return places;
  const column = Math.floor((left + right) / 2 / blockWidthPx);
  const row = Math.floor((top + bottom) / 2 / blockHeightPx);
  return column < 0 || row < 0 || column >= columns || row >= rows ? [] : [{ column, row }];
}

/** The first and the last of `count` blocks of this size whose middles lie in a span. */
function middlesIn(
  [from, to]: readonly [number, number],
  count: number,
  sizePx: number,
): readonly [first: number, last: number] {
  return [Math.max(0, Math.ceil(from / sizePx - 0.5)), Math.min(count - 1, Math.floor(to / sizePx - 0.5))];
}
