import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import type { ByteSink } from "../bytes/byte-sink.ts";
import type { ByteSource } from "../bytes/byte-source.ts";
import { RedactionError } from "../bytes/errors.ts";
import { JpegCodec, WORK, type Work } from "./codec.ts";
import { EntropyReader } from "./entropy-reader.ts";
import { EntropyWriter } from "./entropy-writer.ts";
import type { Component, Frame, Scan } from "./frame.ts";
import type { ComponentPainter } from "./paint.ts";
import type { ScanCodes } from "./scan-codes.ts";
import { ScanPainter } from "./scan-painter.ts";
import { AC_CLASS } from "./tables.ts";
import type { JpegWalker } from "./walker.ts";

/** The result of a scan. */
interface ScanResult {
  /** The marker after the scan, or −1 if the file ends. */
  readonly ending: number;
  /** The first MCU that was lost, counted from the scan's beginning; Infinity if none was. */
  readonly lostFrom: number;
}

/** What a reading of a file writes: bits to a sink, or only the counts of its symbols. */
interface Output {
  readonly sink: ByteSink | undefined;
  readonly method: RedactionMethod;
}

/** The blocks of one component in one MCU. */
interface UnitPart {
  readonly component: Component;
  readonly painter: ComponentPainter;
  readonly columns: number;
  readonly rows: number;
}

/** Codes the scans of a file, which is read once. Without an output it only adds up and gathers what the painters need. */
export class ScanCoder {
  readonly #walker: JpegWalker;
  readonly #frame: Frame;
  readonly #painters: readonly ComponentPainter[];
  readonly #output: Output | undefined;
  readonly #gathersBlocks: boolean;
  readonly #painter: ScanPainter;
  readonly #codec: JpegCodec;
  readonly #reader: EntropyReader;
  readonly #writer: EntropyWriter | undefined;

  constructor(args: {
    source: ByteSource;
    walker: JpegWalker;
    frame: Frame;
    painters: readonly ComponentPainter[];
    output?: Output;
    /** Whether AC is read without an output too, for the blocks that painters gather. */
    gathersBlocks?: boolean;
  }) {
    const { source, walker, frame, painters, output, gathersBlocks = false } = args;
    this.#walker = walker;
    this.#frame = frame;
    this.#painters = painters;
    this.#output = output;
    this.#gathersBlocks = gathersBlocks;
    this.#painter = new ScanPainter(output?.method ?? "blur");
    this.#painter.isProgressive = frame.isProgressive;
    const remembers = frame.isProgressive && (gathersBlocks || output !== undefined);
    this.#codec = new JpegCodec(this.#painter, remembers ? frame.components : []);
    this.#painter.codec = this.#codec;
    this.#reader = new EntropyReader(source, this.#codec.input);
    const sink = output?.sink;
    this.#writer = sink === undefined ? undefined : new EntropyWriter(sink, this.#codec.output);
  }

  /**
   * Codes the MCUs of a scan in order (T.81, A.2), one restart interval after another. Yields whenever the sink has a full chunk.
   * From the first invalid bit on, all blocks are lost, even those after later restart markers. Decoders read the rest in
   * different ways, and a region must not appear in a place that is not painted. Coding may stop at the pixel row `endRowPx`,
   * if no later row is needed.
   */
  async *code(scan: Scan, codes: ScanCodes, endRowPx = Infinity): AsyncGenerator<void, ScanResult> {
    const reader = this.#reader;
    const sink = this.#output?.sink;
    reader.reset();
    const places = this.#tablesOf(scan, codes);
    const work = this.#workOf(scan);
    if (work === undefined) return { ending: await reader.finish(), lostFrom: Infinity };
    const { exports } = this.#codec;
    const parts = this.#begin(scan, work);
    const isInterleaved = parts.length > 1;
    const [{ component }] = parts as [UnitPart];
    const unitColumns = isInterleaved ? this.#frame.mcuColumns : component.columns;
    const unitRows = isInterleaved ? this.#frame.mcuRows : component.rows;
    const unitHeightPx = isInterleaved ? this.#frame.mcuHeightPx : component.blockHeightPx;
    const { restartInterval } = this.#walker.tables;
    let lostFrom = Infinity;
    let restarts = 0;
    let untilRestart = restartInterval === 0 ? Infinity : restartInterval;
    for (let row = 0; row < unitRows && row * unitHeightPx < endRowPx; row++) {
      this.#codec.startRow(row, classesOf(parts, row));
      for (let column = 0; column < unitColumns;) {
        if (untilRestart === 0) {
          this.#endInterval();
          sink?.writeBytes(0xff, 0xd0 + (restarts & 7));
          if (lostFrom === Infinity && !(await reader.nextInterval(restarts)))
            lostFrom = row * unitColumns + column;
          exports.restart();
          restarts++;
          untilRestart = restartInterval;
        }
        if (lostFrom === Infinity && !reader.isReady) await reader.refill();
        if (sink?.isFull === true) yield;
        const end = Math.min(unitColumns, column + untilRestart);
        let coded: number;
        if (lostFrom < Infinity) {
          refuseMostlyLost(row * unitColumns + column, unitColumns * unitRows);
          coded = exports.blankUnits(column, end);
        } else {
          coded = exports.codeUnits(column, end, reader.end, reader.lastStart);
          const isDamaged = Boolean(exports.isDamaged.value);
          if (isDamaged) {
            lostFrom = row * unitColumns + column + coded - 1;
            refuseMostlyLost(lostFrom, unitColumns * unitRows);
          }
        }
        this.#writer?.relieve();
        column += coded;
        untilRestart -= coded;
      }
    }
    this.#endInterval();
    for (const place of places) codes.at(place).counts.set(this.#codec.countsOf(place));
    return { ending: await reader.finish(), lostFrom };
  }

  /** Sets the scan's tables and returns where they are. Throws `undecodable` if the file does not define one. */
  #tablesOf(scan: Scan, codes: ScanCodes): ReadonlySet<number> {
    const { tables } = this.#walker;
    const isDc = scan.spectralStart === 0;
    const places = new Set<number>();
    for (const { dcTable, acTable } of scan.components) {
      if (isDc && scan.approximationHigh === 0) places.add(dcTable);
      if (!isDc || !this.#frame.isProgressive) places.add(AC_CLASS | acTable);
    }
    for (const place of places) {
      this.#codec.setTable(place, tables.decoderAt(place), codes.at(place).codes);
      if (this.#frame.isProgressive || place < AC_CLASS) continue;
      this.#codec.exports.preparePairs(place - AC_CLASS);
      if (this.#writer !== undefined) this.#codec.exports.prepareCopies(place - AC_CLASS);
    }
    return places;
  }

  /** What is done with the scan's blocks. Undefined if the scan is skipped. */
  #workOf(scan: Scan): Work | undefined {
    const hasOutput = this.#output !== undefined;
    if (!this.#frame.isProgressive) {
      if (hasOutput) return WORK.transcode;
      return this.#gathersBlocks ? WORK.gather : WORK.collect;
    }
    if (scan.spectralStart === 0) return WORK.dc;
    const [first] = scan.components;
    const hasEdges = first !== undefined && this.#painters[first.component.index]?.hasEdges === true;
    if (!hasOutput && !(this.#gathersBlocks && hasEdges)) return undefined;
    return scan.approximationHigh === 0 ? WORK.acFirst : WORK.acRefine;
  }

  #begin(scan: Scan, work: Work): readonly UnitPart[] {
    const { components, spectralStart, spectralEnd, approximationHigh, approximationLow } = scan;
    const isInterleaved = components.length > 1;
    const parts = components.map(({ component, dcTable, acTable }, index): UnitPart => {
      const columns = isInterleaved ? component.horizontal : 1;
      const rows = isInterleaved ? component.vertical : 1;
      this.#codec.setSlot(index, { component, columns, rows, dcPlace: dcTable, acPlace: AC_CLASS | acTable });
      return { component, painter: this.#painters[component.index] as ComponentPainter, columns, rows };
    });
    this.#painter.slots = parts.map(({ component: { index }, painter }) => {
      return { painter, steps: this.#walker.steps[index] as Uint16Array };
    });
    this.#painter.isFirst = approximationHigh === 0;
    this.#codec.exports.beginScan(
      work,
      parts.length,
      spectralStart,
      spectralEnd,
      approximationHigh,
      approximationLow,
      this.#output !== undefined,
      this.#writer !== undefined,
    );
    return parts;
  }

  #endInterval(): void {
    this.#codec.exports.endInterval();
    this.#writer?.finishInterval();
  }
}

/** Classes of the rows of blocks in a row of MCUs, of each component in turn. */
function classesOf(parts: readonly UnitPart[], row: number): readonly (Uint8Array | undefined)[] {
  return parts.flatMap(({ painter, rows }) =>
    Array.from({ length: rows }, (_none, index) => painter.classesOfRow(row * rows + index)),
  );
}

/** The most MCUs that may be lost: 16 per MCU that was read, plus 65,536 (about 17 megapixels of 4:2:0). */
const MAX_LOST_PER_READ = 16;
const MAX_LOST_UNITS = 65_536;

/**
 * Throws `undecodable` if almost all of the picture is lost. A few bytes whose header declares a huge picture must not cost the
 * time to write all of it in gray.
 */
function refuseMostlyLost(read: number, total: number): void {
  if (total - read > read * MAX_LOST_PER_READ + MAX_LOST_UNITS) {
    throw new RedactionError("undecodable", "Hardly anything of the JPEG picture can be read.");
  }
}
