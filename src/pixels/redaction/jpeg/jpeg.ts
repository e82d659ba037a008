import type { Orientation } from "../../geometry/orientation.ts";
import { placeLabels, type Label } from "../painting/labels.ts";
import { ByteSink } from "../bytes/byte-sink.ts";
import { ByteSource, type OpenSource } from "../bytes/byte-source.ts";
import { Coverage } from "../regions/coverage.ts";
import { RedactionError } from "../bytes/errors.ts";
import type { Redaction, RedactionTask } from "../painting/task.ts";
import type { Frame } from "./frame.ts";
import { ComponentPainter, latticeOf } from "./paint.ts";
import { ScanCoder } from "./scan.ts";
import { ScanCodes } from "./scan-codes.ts";
import { DHT, EOI, segmentBytes, SOI } from "./segments.ts";
import { JpegWalker } from "./walker.ts";

/** A picture whose cells are settled. */
interface Plan {
  readonly frame: Frame;
  readonly painters: readonly ComponentPainter[];
  readonly maskedPixels: number;
}

/**
 * Redacts a JPEG in its coefficients. It reads the file three times: for the means of the cells, to count the symbols to write,
 * and to write. Blocks outside the regions keep every coefficient. The file keeps its kind, sampling, quantization, restart
 * intervals and progression, but not its Huffman codes. Memory does not depend on the picture's size for sequential files;
 * progressive files need one bit per coefficient. If the file is truncated or damaged, the rest of the scan is gray.
 */
export async function redactJpeg({
  open,
  regions,
  method,
  orientation = 1,
}: RedactionTask): Promise<Redaction> {
  const plan = await measure(open, { regions, orientation });
  const { frame, maskedPixels } = plan;
  return {
    width: frame.width,
    height: frame.height,
    maskedPixels,
    chunks: () => rewrite(open, plan, method),
  };
}

/**
 * First pass. It reads up to the last covered block, or a whole progressive file if the picture's edge crosses some of its
 * blocks.
 */
async function measure(
  open: OpenSource,
  { regions, orientation }: { regions: RedactionTask["regions"]; orientation: Orientation },
): Promise<Plan> {
  const source = new ByteSource(await open());
  try {
    const walker = new JpegWalker(source);
    await walker.start();
    let coder: ScanCoder | undefined;
    let coverage: Coverage | undefined;
    let painters: readonly ComponentPainter[] = [];
    let isDamaged = false;
    for (;;) {
      const step = await walker.next();
      const { frame } = walker;
      if (frame !== undefined && coverage === undefined) {
        const { width, height } = frame;
        coverage = new Coverage({ regions, width, height, lattice: latticeOf(frame) });
        const labels = placeLabels(regions, { width, height, orientation, alignPx: 1 });
        painters = paintersOf(frame, { coverage, labels, walker });
      }
      if (step.kind === "scan") {
        const gathersBlocks = hasLateEdges(step.frame, painters);
        coder ??= new ScanCoder({ source, walker, frame: step.frame, painters, gathersBlocks });
        const endRowPx = gathersBlocks ? Infinity : (coverage?.measuredEndPx ?? 0);
        const run = coder.code(step.scan, new ScanCodes(), endRowPx);
        const result = await lastOf(run);
        isDamaged = result.lostFrom < Infinity;
        walker.resume(result.ending);
      }
      if (frame === undefined || coverage === undefined) {
        if (step.kind === "end") throw new RedactionError("undecodable", "The JPEG file holds no picture.");
        continue;
      }
      const isMeasured = hasLateEdges(frame, painters) ? isDamaged : walker.isDcComplete || coverage.isEmpty;
      if (step.kind === "end" || isMeasured) {
        for (const painter of painters) {
          painter.settle(walker.dcStepOf(painter.component));
          const steps = walker.steps[painter.component.index];
          if (steps !== undefined) painter.edges.settle(steps);
        }
        return { frame, painters, maskedPixels: painters[0]?.countPixels(frame) ?? 0 };
      }
    }
  } finally {
    await source.close();
  }
}

/** Whether all scans must be read before the blocks at the picture's edge are known. */
function hasLateEdges(frame: Frame, painters: readonly ComponentPainter[]): boolean {
  return frame.isProgressive && painters.some(({ hasEdges }) => hasEdges);
}

/** Codes the whole file without writing it, and counts the symbols of each scan. */
async function countSymbols(
  open: OpenSource,
  plan: Plan,
  method: RedactionTask["method"],
): Promise<ScanCodes[]> {
  const scans: ScanCodes[] = [];
  const run = transcode({
    open,
    plan,
    method,
    sink: undefined,
    codesOf: (index) => (scans[index] ??= new ScanCodes()),
  });
  await lastOf(run);
  for (const codes of scans) codes.settle();
  return scans;
}

async function* rewrite(
  open: OpenSource,
  plan: Plan,
  method: RedactionTask["method"],
): AsyncGenerator<Uint8Array> {
  const scans = await countSymbols(open, plan, method);
  const sink = new ByteSink();
  const codesOf = (index: number): ScanCodes => {
    const codes = scans[index];
    if (codes === undefined)
      throw new RedactionError("undecodable", "The JPEG file changed while it was read.");
    return codes;
  };
  const run = transcode({ open, plan, method, sink, codesOf });
  for await (const _ of run) yield sink.take();
  yield sink.take();
}

/** Codes the redacted file, to `sink` if there is one. Yields whenever the sink has a full chunk. */
async function* transcode(args: {
  open: OpenSource;
  plan: Plan;
  method: RedactionTask["method"];
  sink: ByteSink | undefined;
  codesOf: (scanIndex: number) => ScanCodes;
}): AsyncGenerator<void, void> {
  const { open, plan, method, sink, codesOf } = args;
  const { painters } = plan;
  const source = new ByteSource(await open());
  try {
    const walker = new JpegWalker(source);
    let coder: ScanCoder | undefined;
    await walker.start();
    sink?.writeBytes(0xff, SOI);
    let scanCount = 0;
    for (;;) {
      const step = await walker.next();
      if (step.kind === "end") break;
      if (step.kind === "header") {
        if (step.bytes !== undefined) sink?.write(step.bytes);
        continue;
      }
      const { scan, frame } = step;
      const codes = codesOf(scanCount++);
      const tables = codes.payload();
      if (tables.byteLength > 0) sink?.write(segmentBytes(DHT, tables));
      sink?.write(step.bytes);
      coder ??= new ScanCoder({ source, walker, frame, painters, output: { sink, method } });
      const { ending, lostFrom } = yield* coder.code(scan, codes);
      if (sink === undefined) codes.lostFrom = lostFrom;
      // The painted places would not be those of the blocks that are written.
      else if (codes.lostFrom !== lostFrom)
        throw new Error("Two readings of a JPEG scan lose different blocks.");
      if (lostFrom < Infinity && frame.isProgressive) break;
      walker.resume(ending);
    }
    if (scanCount === 0) throw new RedactionError("undecodable", "The JPEG file holds no picture.");
    sink?.writeBytes(0xff, EOI);
  } finally {
    await source.close();
  }
}

function paintersOf(
  frame: Frame,
  { coverage, labels, walker }: { coverage: Coverage; labels: readonly Label[]; walker: JpegWalker },
): readonly ComponentPainter[] {
  return frame.components.map((component) => {
    const isColourDifference = walker.isColourDifference(component);
    return new ComponentPainter(component, { coverage, labels, isColourDifference });
  });
}

async function lastOf<T>(run: AsyncGenerator<void, T>): Promise<T> {
  for (;;) {
    const turn = await run.next();
    if (turn.done === true) return turn.value;
  }
}
