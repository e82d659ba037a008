import { ByteSource, type OpenSource } from "../bytes/byte-source.ts";
import type { OutlineDetail } from "../painting/pixel-detail.ts";
import { BLOCK_SIDE, SampledBlocks } from "../painting/sampled-blocks.ts";
import { Coverage } from "../regions/coverage.ts";
import type { Region } from "../regions/regions.ts";
import { EdgeBlocks } from "./edge-blocks.ts";
import type { Component, Frame } from "./frame.ts";
import { ComponentPainter, latticeOf } from "./paint.ts";
import { ScanCoder } from "./scan.ts";
import { ScanCodes } from "./scan-codes.ts";
import { JpegWalker } from "./walker.ts";

/**
 * Coefficients, in zigzag order, that a block has only where its levels do not change linearly: without DC and the lowest odd
 * frequencies, in which a blurred mask has nearly all of its energy.
 */
const DETAIL = Array.from({ length: BLOCK_SIDE ** 2 }, (_none, k) => k).filter(
  (k) => k > 2 && ![4, 6, 9].includes(k),
);

/** The detail in outlines of a JPEG: coefficients of its first component. The file is read once and is never whole in memory. */
export async function jpegDetail(
  open: OpenSource,
  outlines: readonly Region[],
): Promise<readonly OutlineDetail[]> {
  const source = new ByteSource(await open());
  try {
    const walker = new JpegWalker(source);
    await walker.start();
    let coder: ScanCoder | undefined;
    let blocks: SampledBlocks | undefined;
    let painters: readonly ComponentPainter[] = [];
    let endRowPx = 0;
    for (;;) {
      const step = await walker.next();
      if (step.kind === "end") break;
      if (step.kind !== "scan") continue;
      const { scan, frame } = step;
      if (blocks === undefined) {
        blocks = new SampledBlocks(outlines, gridOf(frame));
        const { width, height } = frame;
        const coverage = new Coverage({ regions: outlines, width, height, lattice: latticeOf(frame) });
        painters = gatherersOf(frame, coverage, blocks);
        [, endRowPx] = coverage.rowRangePx;
      }
      coder ??= new ScanCoder({ source, walker, frame, painters, gathersBlocks: true });
      const run = coder.code(scan, new ScanCodes(), endRowPx);
      const { value } = await run.next();
      if (value === undefined) throw new Error("A scan that writes nothing did not end.");
      walker.resume(value.ending);
    }
    const steps = walker.steps[0] ?? new Uint16Array(BLOCK_SIDE ** 2);
    return blocks === undefined ? outlines.map(() => []) : detailOf(blocks, steps);
  } finally {
    await source.close();
  }
}

function detailOf(blocks: SampledBlocks, steps: Uint16Array): readonly OutlineDetail[] {
  return blocks
    .ofOutlines()
    .map((outline) =>
      outline.map((coefficients) =>
        Float32Array.from(DETAIL, (k) => (coefficients[k] as number) * (steps[k] as number)),
      ),
    );
}

function gridOf({ width, height, components: [first] }: Frame) {
  const { blockWidthPx = BLOCK_SIDE, blockHeightPx = BLOCK_SIDE } = first ?? {};
  return { width, height, blockWidthPx, blockHeightPx };
}

function gatherersOf(frame: Frame, coverage: Coverage, blocks: SampledBlocks): readonly ComponentPainter[] {
  return frame.components.map((component) => new BlockGatherer(component, coverage, blocks));
}

/** Gathers sampled blocks of the first component. */
class BlockGatherer extends ComponentPainter {
  override readonly edges: EdgeBlocks;

  constructor(component: Component, coverage: Coverage, blocks: SampledBlocks) {
    super(component, { coverage, labels: [], isColourDifference: false });
    this.edges = component.index === 0 ? new GatheredBlocks(component, blocks) : new NoBlocks(component);
  }

  override get hasEdges(): boolean {
    return this.component.index === 0;
  }

  override classesOfRow(): undefined {
    return undefined;
  }
}

class GatheredBlocks extends EdgeBlocks {
  readonly #blocks: SampledBlocks;

  constructor(component: Component, blocks: SampledBlocks) {
    super(component);
    this.#blocks = blocks;
  }

  override gathered(column: number, row: number): Int16Array | undefined {
    return this.#blocks.at(column, row);
  }
}

class NoBlocks extends EdgeBlocks {
  override gathered(): undefined {
    return undefined;
  }
}
