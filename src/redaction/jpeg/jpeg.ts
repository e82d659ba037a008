import { ByteSink } from "../byte-sink.ts";
import { ByteSource, type OpenSource } from "../byte-source.ts";
import { Coverage } from "../coverage.ts";
import { RedactionError } from "../errors.ts";
import type { Redaction, RedactionTask } from "../task.ts";
import { coderOf, type ScanMemory } from "./coders.ts";
import { EntropyReader } from "./entropy-reader.ts";
import { EntropyWriter } from "./entropy-writer.ts";
import type { Frame } from "./frame.ts";
import { ComponentPainter, latticeOf } from "./paint.ts";
import { codeScan } from "./scan.ts";
import { EOI, SOI } from "./segments.ts";
import { JpegWalker } from "./walker.ts";

/** A picture whose cells are settled. */
interface Plan {
  readonly frame: Frame;
  readonly painters: readonly ComponentPainter[];
  readonly maskedPixels: number;
}

/**
 * Redacts a JPEG in its coefficients, reading the file twice: once for the means of the cells, once to write.
 *
 * Blocks outside the regions keep every coefficient, whatever their codes become; the file keeps its kind, sampling,
 * tables, restart intervals and progression. Memory does not depend on the picture's size for sequential files and is
 * one bit a coefficient for progressive ones. Where the file is cut off or damaged the rest of the scan is grey.
 */
export async function redactJpeg({ open, regions, method }: RedactionTask): Promise<Redaction> {
  const plan = await measure(open, regions);
  const { frame, maskedPixels } = plan;
  return {
    width: frame.width,
    height: frame.height,
    maskedPixels,
    chunks: () => rewrite(open, plan, method),
  };
}

/** First pass: reads as far as the last covered block. */
async function measure(open: OpenSource, regions: RedactionTask["regions"]): Promise<Plan> {
  const source = new ByteSource(await open());
  try {
    const walker = new JpegWalker(source, { isWriting: false });
    const reader = new EntropyReader(source);
    await walker.start();
    let coverage: Coverage | undefined;
    let painters: readonly ComponentPainter[] = [];
    for (;;) {
      const step = await walker.next();
      const { frame } = walker;
      if (frame !== undefined && coverage === undefined) {
        const { width, height } = frame;
        coverage = new Coverage({ regions, width, height, lattice: latticeOf(frame) });
        painters = paintersOf(frame, coverage, walker);
      }
      if (step.kind === "scan") {
        const { scan } = step;
        const coder = coderOf({ walker, scan, reader, painters, memory: new Map() });
        const { restartInterval } = walker.tables;
        const endRowPx = coverage?.rowRangePx[1] ?? 0;
        const run = codeScan({ scan, frame: step.frame, painters, restartInterval, reader, coder, endRowPx });
        walker.resume((await lastOf(run)).ending);
      }
      if (frame === undefined || coverage === undefined) {
        if (step.kind === "end") throw new RedactionError("undecodable", "The JPEG file holds no picture.");
        continue;
      }
      if (step.kind === "end" || walker.isDcComplete || coverage.isEmpty) {
        for (const painter of painters) painter.settle(walker.dcStepOf(painter.component));
        return { frame, painters, maskedPixels: painters[0]?.countPixels(frame) ?? 0 };
      }
    }
  } finally {
    await source.close();
  }
}

/** Second pass. */
async function* rewrite(
  open: OpenSource,
  { painters }: Plan,
  method: RedactionTask["method"],
): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(await open());
  try {
    const walker = new JpegWalker(source, { isWriting: true });
    const reader = new EntropyReader(source);
    const sink = new ByteSink();
    const writer = new EntropyWriter(sink);
    const memory: ScanMemory = new Map();
    await walker.start();
    sink.writeBytes(0xff, SOI);
    let hasScan = false;
    for (;;) {
      const step = await walker.next();
      if (step.kind === "end") break;
      if (step.bytes !== undefined) sink.write(step.bytes);
      if (step.kind === "header") continue;
      hasScan = true;
      const { scan, frame } = step;
      const coder = coderOf({ walker, scan, reader, painters, memory, output: { writer, method } });
      const { restartInterval } = walker.tables;
      const run = codeScan({
        scan,
        frame,
        painters,
        restartInterval,
        reader,
        coder,
        output: { writer, sink },
      });
      let turn = await run.next();
      while (turn.done !== true) {
        yield sink.take();
        turn = await run.next();
      }
      if (turn.value.isDamaged && frame.isProgressive) break;
      walker.resume(turn.value.ending);
    }
    if (!hasScan) throw new RedactionError("undecodable", "The JPEG file holds no picture.");
    sink.writeBytes(0xff, EOI);
    yield sink.take();
  } finally {
    await source.close();
  }
}

function paintersOf(frame: Frame, coverage: Coverage, walker: JpegWalker): readonly ComponentPainter[] {
  return frame.components.map(
    (component) => new ComponentPainter(component, coverage, walker.isColourDifference(component)),
  );
}

async function lastOf<T>(run: AsyncGenerator<void, T>): Promise<T> {
  for (;;) {
    const turn = await run.next();
    if (turn.done === true) return turn.value;
  }
}
