import { CellSums } from "./cells.ts";
import { Coverage } from "./coverage.ts";
import {
  addToCell,
  forEachRun,
  PIXEL_CHANNELS,
  PIXEL_LATTICE,
  PixelPainter,
  pixelTone,
  type Run,
} from "./pixel-cells.ts";
import type { Region } from "./regions.ts";
import type { RedactionMethod } from "./tone.ts";

/** 8-bit red, green, blue, alpha, not premultiplied, row by row. */
export interface RgbaRaster {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Hides all regions in place and returns how many pixels were painted. */
export function redactRaster(
  raster: RgbaRaster,
  regions: readonly Region[],
  method: RedactionMethod,
): number {
  const { width, height } = raster;
  const coverage = new Coverage({ regions, width, height, lattice: PIXEL_LATTICE });
  const cells = new CellSums(PIXEL_CHANNELS);
  const sums = new Float64Array(PIXEL_CHANNELS);
  forEachCoveredRun(coverage, raster, (run) => {
    sumRun(raster, run, sums);
    addToCell(cells, run, sums);
  });
  const colours = cells.settle({ lattice: PIXEL_LATTICE, unitWidthPx: 1, unitHeightPx: 1, tone: pixelTone });
  const painter = new PixelPainter(colours, method);
  let paintedPixels = 0;
  forEachCoveredRun(coverage, raster, (run) => {
    paintRun(raster, run, painter, sums);
    paintedPixels += run.end - run.start;
  });
  return paintedPixels;
}

function forEachCoveredRun(
  coverage: Coverage,
  { width, height }: RgbaRaster,
  visit: (run: Run) => void,
): void {
  const classes = new Uint8Array(width);
  const [firstRow, endRow] = coverage.rowRangePx;
  for (let y = firstRow; y < Math.min(endRow, height); y++) {
    if (!coverage.fillRow({ classes, unitWidthPx: 1, top: y, bottom: y + 1 })) continue;
    forEachRun({ classes, y, firstX: 0, stepX: 1 }, visit);
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

function paintRun({ data, width }: RgbaRaster, run: Run, painter: PixelPainter, colour: Float64Array): void {
  painter.moveTo(run);
  for (let x = run.start; x < run.end; x++) {
    painter.colourAt(x, colour);
    const at = (run.y * width + x) * 4;
    for (let channel = 0; channel < PIXEL_CHANNELS; channel++) {
      data[at + channel] = Math.round(colour[channel] as number);
    }
  }
}
