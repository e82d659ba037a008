import type { CellSums } from "../painting/cells.ts";
import type { Coverage } from "../regions/coverage.ts";
import {
  addToCell,
  forEachRun,
  isPainted,
  isSummed,
  PIXEL_CHANNELS,
  type PixelPainter,
} from "../painting/pixel-cells.ts";
import { forEachLabelRun, INK_LEVEL, PLATE_LEVEL, type Label } from "../painting/labels.ts";
import type { PngCodec, RowBuffer } from "./codec.ts";
import { PALETTE, type Pass, passesOf, type PngHeader, rowBytesOf } from "./header.ts";
import type { PixelFormat } from "./pixel-format.ts";
import { PassLine } from "./pass-line.ts";
import type { RowReader } from "./rows.ts";

const NO_STEP = new Float64Array(PIXEL_CHANNELS);
const LABEL_COLORS: Readonly<Record<number, Float64Array>> = {
  [PLATE_LEVEL]: Float64Array.of(PLATE_LEVEL, PLATE_LEVEL, PLATE_LEVEL, 255),
  [INK_LEVEL]: Float64Array.of(INK_LEVEL, INK_LEVEL, INK_LEVEL, 255),
};

/** The parameters of a pass over a picture's rows. */
interface Picture {
  readonly header: PngHeader;
  readonly format: PixelFormat;
  readonly coverage: Coverage;
  readonly codec: PngCodec;
  readonly rows: RowReader;
}

/** Adds up the sums of all cells and reads no further than necessary. Returns how many pixels will be painted. */
export async function gatherCells(picture: Picture, cells: CellSums): Promise<number> {
  const { header, format, coverage, codec, rows } = picture;
  const sums = new Float64Array(PIXEL_CHANNELS);
  const classesOf = classReader(picture, { isMeasuring: true });
  const passes = passesOf(header);
  const endRow = header.colourType === PALETTE ? header.height : coverage.measuredEndPx;
  const line = new PassLine(codec, header);
  let pixels = 0;
  for (const pass of passes) {
    line.begin(rowBytesOf(header, pass.columns));
    for (let index = 0; index < pass.rows; index++) {
      const y = pass.firstY + index * pass.stepY;
      if (y >= endRow && pass === passes.at(-1)) return pixels;
      await rows.read(line.raw.bytes, line.rawLength);
      if (y >= endRow) continue;
      line.unfilter();
      const row = line.current.bytes;
      const classes = classesOf(pass, y);
      format.look(row, classes, pass.columns);
      if (classes === undefined) continue;
      forEachRun({ classes, y, firstX: pass.firstX, stepX: pass.stepX }, (run) => {
        if (isPainted(run)) pixels += run.end - run.start;
        if (!isSummed(run)) return;
        sums.fill(0);
        format.sum(row, run, sums);
        addToCell(cells, run, sums);
      });
    }
  }
  await rows.finish();
  return pixels;
}

/**
 * Yields every row as it must be compressed, starting with its filter type. A row keeps its bytes if it is not painted, has no
 * fully transparent pixels, and is not predicted from a row that has changed. The yielded bytes are valid until the next step.
 */
export async function* paintRows(
  picture: Picture,
  { painter, labels }: { readonly painter: PixelPainter; readonly labels: readonly Label[] },
): AsyncGenerator<{ readonly row: RowBuffer; readonly length: number }> {
  const { header, format, coverage, codec, rows } = picture;
  const classesOf = classReader(picture, { isMeasuring: false });
  const [, endRow] = coverage.rowRangePx;
  const line = new PassLine(codec, header);
  for (const pass of passesOf(header)) {
    line.begin(rowBytesOf(header, pass.columns));
    for (let index = 0; index < pass.rows; index++) {
      const y = pass.firstY + index * pass.stepY;
      await rows.read(line.raw.bytes, line.rawLength);
      if (y >= endRow && !line.isAboveChanged && format.clear === undefined) {
        yield { row: line.raw, length: line.rawLength };
        continue;
      }
      line.unfilter();
      if (format.clear !== undefined) line.clear(format.clear);
      const classes = y < endRow ? classesOf(pass, y) : undefined;
      if (classes !== undefined) {
        const painted = line.paint();
        forEachRun({ classes, y, firstX: pass.firstX, stepX: pass.stepX }, (run) => {
          painter.forEachRamp(run, pass, (ramp) => {
            format.paint(painted, ramp);
          });
        });
        forEachLabelRun(labels, { y, ...pass }, ({ start, end, level }) => {
          format.paint(painted, { start, end, from: LABEL_COLORS[level] ?? NO_STEP, step: NO_STEP });
        });
      }
      yield { row: line.filtered(), length: line.rawLength };
    }
  }
  await rows.finish();
}

/** Returns the classes of the pixels that a pass holds of a row. Undefined if no pixel has one. */
function classReader(
  { header, coverage }: Picture,
  { isMeasuring }: { isMeasuring: boolean },
): (pass: Pass, y: number) => Uint8Array | undefined {
  const whole = new Uint8Array(header.width);
  return ({ firstX, stepX, columns }, y) => {
    const row = { classes: whole, unitWidthPx: 1, top: y, bottom: y + 1 };
    const isAnyCovered = coverage.fillRow(row);
    const isAnyBeside = isMeasuring && coverage.fillSurroundings(row);
    if (!isAnyCovered && !isAnyBeside) return undefined;
    if (stepX === 1) return whole;
    const classes = new Uint8Array(columns);
    for (let column = 0; column < columns; column++)
      classes[column] = whole[firstX + column * stepX] as number;
    return classes;
  };
}
