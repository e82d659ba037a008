import { ByteSource, type OpenSource } from "../bytes/byte-source.ts";
import { PreviewPlane, previewSize } from "../painting/preview-plane.ts";
import type { PreviewRaster } from "../painting/preview-raster.ts";
import { Coverage } from "../regions/coverage.ts";
import type { Component, Frame } from "./frame.ts";
import { ComponentPainter, latticeOf } from "./paint.ts";
import { ScanCoder } from "./scan.ts";
import { ScanCodes } from "./scan-codes.ts";
import { JpegWalker } from "./walker.ts";

/** At a quantization step of one, an 8×8 block's DC is 8 times its mean relative to middle gray (T.81, A.3.3). */
const DC_PER_LEVEL = 8;
const MIDDLE_GREY = 128;

/**
 * A preview of a JPEG from the means of its blocks, at most an eighth of its size. The file is read once and is never whole in
 * memory. In a progressive file, only DC scans are read. Undefined if the colors are neither gray, YCbCr nor RGB.
 */
export async function previewJpeg(open: OpenSource): Promise<PreviewRaster | undefined> {
  const source = new ByteSource(await open());
  try {
    const walker = new JpegWalker(source);
    let coder: ScanCoder | undefined;
    await walker.start();
    let painters: readonly MeanGatherer[] = [];
    for (;;) {
      const step = await walker.next();
      const { frame } = walker;
      if (step.kind === "end" || (walker.isDcComplete && step.kind === "header")) break;
      if (frame !== undefined && painters.length === 0) painters = gatherersOf(frame);
      if (step.kind !== "scan") continue;
      coder ??= new ScanCoder({ source, walker, frame: step.frame, painters });
      const run = coder.code(step.scan, new ScanCodes());
      for (;;) {
        const turn = await run.next();
        if (turn.done !== true) continue;
        walker.resume(turn.value.ending);
        break;
      }
    }
    const { frame } = walker;
    return frame && rasterOf(frame, painters, walker);
  } finally {
    await source.close();
  }
}

/** Collects the DC of every block of one component. */
class MeanGatherer extends ComponentPainter {
  readonly plane: PreviewPlane;

  constructor(component: Component, coverage: Coverage) {
    super(component, { coverage, labels: [], isColourDifference: false });
    this.plane = new PreviewPlane(previewSize({ width: component.columns, height: component.rows }));
  }

  override classesOfRow(): Uint8Array {
    return new Uint8Array(this.component.paddedColumns).fill(1);
  }

  override add({ column, row, dc, isFirst }: Parameters<ComponentPainter["add"]>[0]): void {
    const { columns, rows } = this.component;
    if (column >= columns || row >= rows) return;
    const x = Math.floor((column * this.plane.width) / columns);
    const y = Math.floor((row * this.plane.height) / rows);
    this.plane.add(x, y, { sum: dc, weight: isFirst ? 1 : 0 });
  }
}

function gatherersOf(frame: Frame): readonly MeanGatherer[] {
  const { width, height } = frame;
  const coverage = new Coverage({ regions: [], width, height, lattice: latticeOf(frame) });
  return frame.components.map((component) => new MeanGatherer(component, coverage));
}

function rasterOf(
  frame: Frame,
  gatherers: readonly MeanGatherer[],
  walker: JpegWalker,
): PreviewRaster | undefined {
  const [first, second, third] = gatherers;
  if (first === undefined || gatherers.length === 2 || gatherers.length > 3) return undefined;
  const { width, height } = previewSize({
    width: Math.ceil(frame.width / DC_PER_LEVEL),
    height: Math.ceil(frame.height / DC_PER_LEVEL),
  });
  const levelOf = ({ plane, component }: MeanGatherer, x: number, y: number): number =>
    (plane.at(x, y, 0) * walker.dcStepOf(component)) / DC_PER_LEVEL;
  const data = new Uint8ClampedArray(width * height * 4);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const x = (column + 0.5) / width;
      const y = (row + 0.5) / height;
      const one = levelOf(first, x, y);
      const two = second === undefined ? 0 : levelOf(second, x, y);
      const three = third === undefined ? 0 : levelOf(third, x, y);
      const isDifference = second === undefined || walker.isColourDifference(second.component);
      const rgb = isDifference ? fromYcc(one, two, three) : [one, two, three];
      data.set([...rgb.map((level) => level + MIDDLE_GREY), 255], (row * width + column) * 4);
    }
  }
  return { data, width, height };
}

/** ITU-T T.871, 7. */
function fromYcc(y: number, cb: number, cr: number): readonly number[] {
  return [y + 1.402 * cr, y - 0.344136 * cb - 0.714136 * cr, y + 1.772 * cb];
}
