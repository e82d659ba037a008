import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import { BandWriter } from "./band-writer.ts";
import type { BlockCoder, Slot } from "./block-coder.ts";
import type { EntropyReader } from "./entropy-reader.ts";
import { EntropyWriter } from "./entropy-writer.ts";
import type { Scan } from "./frame.ts";
import type { ComponentPainter } from "./paint.ts";
import { NonZeroMap } from "./non-zero-map.ts";
import { ProgressiveAcFirstCoder } from "./progressive-ac-first.ts";
import { ProgressiveAcRefineCoder } from "./progressive-ac-refine.ts";
import { ProgressiveDcCoder } from "./progressive-dc.ts";
import { SequentialCollector, SequentialGatherer, SequentialTranscoder } from "./sequential.ts";
import type { ScanCodes } from "./scan-codes.ts";
import { AC_CLASS, NO_TABLE } from "./tables.ts";
import type { JpegWalker } from "./walker.ts";

/** State of earlier scans that later scans of a progressive file need, by component. */
export type ScanMemory = Map<number, NonZeroMap>;

/**
 * Picks the coder of a scan. Without an output, the coder only adds up DC values, and AC scans have no coder: they are skipped
 * unless `gathersBlocks` is set.
 */
export function coderOf(args: {
  walker: JpegWalker;
  scan: Scan;
  reader: EntropyReader;
  painters: readonly ComponentPainter[];
  memory: ScanMemory;
  codes: ScanCodes;
  /** Whether a pass without output also reads the AC of the blocks that painters gather. */
  gathersBlocks?: boolean;
  output?: {
    readonly writer: EntropyWriter;
    readonly method: RedactionMethod;
    readonly isCounting: boolean;
  };
}): BlockCoder | undefined {
  const { walker, scan, reader, painters, memory, codes, output } = args;
  const isProgressive = walker.frame?.isProgressive === true;
  const isDc = scan.spectralStart === 0;
  const slots = scan.components.map(({ component, dcTable, acTable }): Slot => {
    const isDcNeeded = isDc && scan.approximationHigh === 0;
    return {
      dc: isDcNeeded ? walker.tables.pairAt(dcTable, codes) : NO_TABLE,
      ac: isDc && isProgressive ? NO_TABLE : walker.tables.pairAt(AC_CLASS | acTable, codes),
      painter: painters[component.index] as ComponentPainter,
      steps: walker.steps[component.index] as Uint16Array,
    };
  });
  if (!isProgressive) {
    if (output !== undefined) return new SequentialTranscoder({ reader, slots, ...output });
    return args.gathersBlocks === true
      ? new SequentialGatherer(reader, slots)
      : new SequentialCollector(reader, slots);
  }
  if (isDc) {
    return new ProgressiveDcCoder({
      reader,
      slots,
      scan,
      writer: output?.writer,
      method: output?.method ?? "blur",
    });
  }
  const [slot] = slots;
  const [part] = scan.components;
  if (slot === undefined || part === undefined) return undefined;
  if (output === undefined && !(args.gathersBlocks === true && slot.painter.hasEdges)) return undefined;
  const { index, columns, rows } = part.component;
  const map = memory.get(index) ?? new NonZeroMap(columns, rows);
  memory.set(index, map);
  const band = new BandWriter(output?.writer ?? new EntropyWriter(), slot.ac);
  const common = { reader, band, slot, map, scan, method: output?.method ?? "blur" };
  return scan.approximationHigh === 0
    ? new ProgressiveAcFirstCoder(common)
    : new ProgressiveAcRefineCoder(common);
}
