import type { CellSums } from "../cells.ts";
import type { Coverage } from "../coverage.ts";
import { addToCell, forEachRun, PIXEL_CHANNELS, type PixelPainter } from "../pixel-cells.ts";
import { filter, unfilter } from "./filters.ts";
import { type Pass, passesOf, type PngHeader, rowBytesOf } from "./header.ts";
import type { PixelFormat } from "./pixels.ts";
import type { RowReader } from "./rows.ts";

/** What goes over the rows of a picture needs. */
interface Picture {
  readonly header: PngHeader;
  readonly format: PixelFormat;
  readonly coverage: Coverage;
  readonly rows: RowReader;
}

/** Gathers the sums of all cells; reads no further than the last covered row of the last pass. */
export async function gatherCells(
  { header, format, coverage, rows }: Picture,
  cells: CellSums,
): Promise<number> {
  const sums = new Float64Array(PIXEL_CHANNELS);
  const colour = new Float64Array(PIXEL_CHANNELS);
  const classesOf = classReader(header, coverage);
  const passes = passesOf(header);
  const [, endRow] = coverage.rowRangePx;
  let pixels = 0;
  for (const pass of passes) {
    const line = new PassLine(header, pass);
    for (let index = 0; index < pass.rows; index++) {
      const y = pass.firstY + index * pass.stepY;
      if (y >= endRow && pass === passes.at(-1)) return pixels;
      await rows.read(line.raw);
      if (y >= endRow) continue;
      line.unfilter();
      const classes = classesOf(pass, y);
      if (classes === undefined) continue;
      forEachRun({ classes, y, firstX: pass.firstX, stepX: pass.stepX }, (run) => {
        sums.fill(0);
        for (let column = run.start; column < run.end; column++) {
          format.read(line.current, column, colour);
          const alpha = colour[3] as number;
          sums[0] = (sums[0] as number) + (colour[0] as number) * alpha;
          sums[1] = (sums[1] as number) + (colour[1] as number) * alpha;
          sums[2] = (sums[2] as number) + (colour[2] as number) * alpha;
          sums[3] = (sums[3] as number) + alpha;
        }
        addToCell(cells, run, sums);
        pixels += run.end - run.start;
      });
    }
  }
  return pixels;
}

/**
 * Yields every row as it is to be compressed, filter type first. A row that is neither painted nor predicted from a
 * painted one keeps its bytes; the others are filtered anew with the type they came with. The yielded bytes are valid
 * until the next step.
 */
export async function* paintRows(
  { header, format, coverage, rows }: Picture,
  painter: PixelPainter,
): AsyncGenerator<Uint8Array> {
  const colour = new Float64Array(PIXEL_CHANNELS);
  const classesOf = classReader(header, coverage);
  const [, endRow] = coverage.rowRangePx;
  for (const pass of passesOf(header)) {
    const line = new PassLine(header, pass);
    for (let index = 0; index < pass.rows; index++) {
      const y = pass.firstY + index * pass.stepY;
      await rows.read(line.raw);
      if (y >= endRow && !line.isAboveChanged) {
        yield line.raw;
        continue;
      }
      line.unfilter();
      const classes = y < endRow ? classesOf(pass, y) : undefined;
      if (classes !== undefined) {
        const painted = line.paint();
        forEachRun({ classes, y, firstX: pass.firstX, stepX: pass.stepX }, (run) => {
          painter.moveTo(run);
          for (let column = run.start; column < run.end; column++) {
            painter.colourAt(pass.firstX + column * pass.stepX, colour);
            format.write(painted, column, colour);
          }
        });
      }
      yield line.filtered();
    }
  }
}

/** The rows of one pass: the one being read, the one above it, and both as they are written. */
class PassLine {
  /** A row as it is compressed: filter type, then filtered bytes. */
  readonly raw: Uint8Array;
  /** The row's own bytes. */
  current: Uint8Array;
  /** Whether the row above is written other than it was read. */
  isAboveChanged = false;
  private above: Uint8Array;
  private written: Uint8Array;
  private writtenAbove: Uint8Array;
  private isPainted = false;
  private readonly pixelBytes: number;

  constructor(header: PngHeader, pass: Pass) {
    const length = rowBytesOf(header, pass.columns);
    this.pixelBytes = header.pixelBytes;
    this.raw = new Uint8Array(1 + length);
    this.current = new Uint8Array(length);
    this.above = new Uint8Array(length);
    this.written = new Uint8Array(length);
    this.writtenAbove = new Uint8Array(length);
  }

  /** Turns `raw` into `current`; what was current before is the row above now. */
  unfilter(): void {
    const { current, above, pixelBytes } = this;
    this.current = above;
    this.above = current;
    this.current.set(this.raw.subarray(1));
    unfilter(this.raw[0] as number, { row: this.current, above: this.above, pixelBytes });
    this.isPainted = false;
  }

  /** The row's bytes as they are written, for painting. */
  paint(): Uint8Array {
    this.written.set(this.current);
    this.isPainted = true;
    return this.written;
  }

  /** The row as it is compressed, painted or not. */
  filtered(): Uint8Array {
    const { isPainted, isAboveChanged, pixelBytes } = this;
    const row = isPainted ? this.written : this.current;
    if (isPainted || isAboveChanged) {
      const above = isAboveChanged ? this.writtenAbove : this.above;
      filter(this.raw[0] as number, { row, above, pixelBytes }, this.raw.subarray(1));
    }
    this.isAboveChanged = isPainted;
    if (isPainted) [this.written, this.writtenAbove] = [this.writtenAbove, this.written];
    return this.raw;
  }
}

/** Gives the classes of the pixels a pass holds of a row, undefined where none is covered. */
function classReader(
  { width }: PngHeader,
  coverage: Coverage,
): (pass: Pass, y: number) => Uint8Array | undefined {
  const whole = new Uint8Array(width);
  return ({ firstX, stepX, columns }, y) => {
    if (!coverage.fillRow({ classes: whole, unitWidthPx: 1, top: y, bottom: y + 1 })) return undefined;
    if (stepX === 1) return whole;
    const classes = new Uint8Array(columns);
    for (let column = 0; column < columns; column++)
      classes[column] = whole[firstX + column * stepX] as number;
    return classes;
  };
}
