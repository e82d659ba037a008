import { CellSums } from "../painting/cells.ts";
import { Coverage } from "../regions/coverage.ts";
import {
  addToCell,
  forEachRun,
  isPainted,
  isSummed,
  PIXEL_CHANNELS,
  PIXEL_LATTICE,
  PixelPainter,
  pixelTone,
  type Ramp,
  type Run,
} from "../painting/pixel-cells.ts";
import { forEachLabelRun, type Label } from "../painting/labels.ts";
import type { Region } from "../regions/regions.ts";
import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";

/** 8-bit red, green, blue and alpha, not premultiplied, in row-major order. */
export interface RgbaRaster {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const OPAQUE = 255;
const ALL_COLUMNS = { firstX: 0, stepX: 1 } as const;

/** Turns every fully transparent pixel black, in place. Its color would be visible to anyone who drops alpha. */
export function clearTransparent({ data }: RgbaRaster): void {
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 0) data.fill(0, at, at + 3);
  }
}

/** Hides all regions in place and returns how many pixels were painted. */
export function paintRegions(
  raster: RgbaRaster,
  regions: readonly Region[],
  method: RedactionMethod,
): number {
  const { width, height } = raster;
  const coverage = new Coverage({ regions, width, height, lattice: PIXEL_LATTICE });
  const cells = new CellSums(PIXEL_CHANNELS);
  const sums = new Float64Array(PIXEL_CHANNELS);
  const classes = new Uint8Array(width);
  const last = Math.min(height, coverage.measuredEndPx);
  for (let y = 0; y < last; y++) {
    const row = { classes, unitWidthPx: 1, top: y, bottom: y + 1 };
    const isAnyCovered = coverage.fillRow(row);
    if (!coverage.fillSurroundings(row) && !isAnyCovered) continue;
    forEachRun({ classes, y, ...ALL_COLUMNS }, (run) => {
      if (!isSummed(run)) return;
      sumRun(raster, run, sums);
      addToCell(cells, run, sums);
    });
  }
  const colours = cells.settle({ lattice: PIXEL_LATTICE, unitWidthPx: 1, unitHeightPx: 1, tone: pixelTone });
  const painter = new PixelPainter(colours, method);
  let paintedPixels = 0;
  for (let y = 0; y < last; y++) {
    if (!coverage.fillRow({ classes, unitWidthPx: 1, top: y, bottom: y + 1 })) continue;
    forEachRun({ classes, y, ...ALL_COLUMNS }, (run) => {
      if (!isPainted(run)) return;
      painter.forEachRamp(run, ALL_COLUMNS, (ramp) => {
        paintRamp(raster, y, ramp);
      });
      paintedPixels += run.end - run.start;
    });
  }
  return paintedPixels;
}

/** Prints labels on painted regions, in place. */
export function paintLabels({ data, width }: RgbaRaster, labels: readonly Label[]): void {
  const [firstY, endY] = [
    Math.min(...labels.map(({ top }) => top)),
    Math.max(...labels.map(({ bottom }) => bottom)),
  ];
  for (let y = firstY; y < endY; y++) {
    forEachLabelRun(labels, { y, ...ALL_COLUMNS, columns: width }, ({ start, end, level }) => {
      for (let at = 4 * (y * width + start); at < 4 * (y * width + end); at += 4) {
        data.fill(level, at, at + 3);
        data[at + 3] = OPAQUE;
      }
    });
  }
}

function sumRun({ data, width }: RgbaRaster, run: Run, sums: Float64Array): void {
  sums.fill(0);
  const end = (run.y * width + run.end) * 4;
  for (let at = (run.y * width + run.start) * 4; at < end; at += 4) {
    const alpha = data[at + 3] as number;
    sums[0] = (sums[0] as number) + (data[at] as number) * alpha;
    sums[1] = (sums[1] as number) + (data[at + 1] as number) * alpha;
    sums[2] = (sums[2] as number) + (data[at + 2] as number) * alpha;
    sums[3] = (sums[3] as number) + alpha;
  }
}

function paintRamp({ data, width }: RgbaRaster, y: number, { start, end, from, step }: Ramp): void {
  for (let x = start; x < end; x++) {
    const at = (y * width + x) * 4;
    for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
      const level = (from[channel] as number) + (step[channel] as number) * (x - start);
      data[at + channel] = Math.round(level);
    }
  }
}
