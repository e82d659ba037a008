import { RedactionError } from "../bytes/errors.ts";
import type { ByteSink } from "../bytes/byte-sink.ts";
import type { BlockCoder, BlockPlace } from "./block-coder.ts";
import type { EntropyReader } from "./entropy-reader.ts";
import type { EntropyWriter } from "./entropy-writer.ts";
import type { Frame, Scan } from "./frame.ts";
import type { ComponentPainter } from "./paint.ts";

/** The destination of a scan's bits. */
export interface ScanOutput {
  readonly writer: EntropyWriter;
  /** Undefined if symbols are only counted. */
  readonly sink: ByteSink | undefined;
}

/** The result of a scan. */
export interface ScanResult {
  /** The marker after the scan, or −1 if the file ends. */
  readonly ending: number;
  /** Whether some blocks were lost. */
  readonly isDamaged: boolean;
}

/** The blocks of one component in one MCU. */
interface UnitPart {
  readonly columns: number;
  readonly rows: number;
  readonly painter: ComponentPainter;
  /** Classes of each row of blocks in the current row of MCUs. */
  classes: readonly (Uint8Array | undefined)[];
}

/**
 * Codes the MCUs of a scan in order (T.81, A.2), one restart interval after another. Yields whenever the sink has a full chunk.
 * From the first invalid bit on, all blocks are lost, even those after later restart markers. Decoders read the rest in
 * different ways, and a region must not appear in a place that is not painted.
 */
export async function* codeScan(args: {
  scan: Scan;
  frame: Frame;
  painters: readonly ComponentPainter[];
  restartInterval: number;
  reader: EntropyReader;
  /** Undefined for a scan that is skipped. */
  coder: BlockCoder | undefined;
  output?: ScanOutput;
  /** The pixel row at which coding may stop, because no later row is needed. */
  endRowPx?: number;
}): AsyncGenerator<void, ScanResult> {
  const { scan, frame, painters, restartInterval, reader, coder, output } = args;
  reader.reset();
  if (coder === undefined) return { ending: await reader.finish(), isDamaged: false };
  const isInterleaved = scan.components.length > 1;
  const parts: UnitPart[] = scan.components.map(({ component }) => ({
    columns: isInterleaved ? component.horizontal : 1,
    rows: isInterleaved ? component.vertical : 1,
    painter: painters[component.index] as ComponentPainter,
    classes: [],
  }));
  const [first] = scan.components;
  const unitColumns = isInterleaved || first === undefined ? frame.mcuColumns : first.component.columns;
  const unitRows = isInterleaved || first === undefined ? frame.mcuRows : first.component.rows;
  const unitHeightPx =
    isInterleaved || first === undefined ? frame.mcuHeightPx : first.component.blockHeightPx;
  const place: BlockPlace = { slot: 0, column: 0, row: 0, cellClass: 0 };
  let isDamaged = false;
  let restarts = 0;
  let untilRestart = restartInterval === 0 ? Infinity : restartInterval;
  for (let row = 0; row < unitRows && row * unitHeightPx < (args.endRowPx ?? Infinity); row++) {
    for (const part of parts) {
      part.classes = Array.from({ length: part.rows }, (_, index) =>
        part.painter.classesOfRow(row * part.rows + index),
      );
    }
    for (let column = 0; column < unitColumns;) {
      if (untilRestart === 0) {
        coder.endInterval();
        output?.sink?.writeBytes(0xff, 0xd0 + (restarts & 7));
        isDamaged ||= !(await reader.nextInterval(restarts));
        coder.restart();
        restarts++;
        untilRestart = restartInterval;
      }
      if (!isDamaged && !reader.isReady) await reader.refill();
      if (output?.sink?.isFull === true) yield;
      while (column < unitColumns && untilRestart > 0 && (isDamaged || reader.isReady)) {
        if (!codeUnit({ parts, column, row, place, coder, isLost: isDamaged }) || reader.isOverrun) {
          isDamaged = true;
          refuseMostlyLost(row * unitColumns + column, unitColumns * unitRows);
        }
        output?.writer.relieve();
        column++;
        untilRestart--;
        if (output?.sink?.isFull === true) break;
      }
    }
  }
  coder.endInterval();
  return { ending: await reader.finish(), isDamaged };
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

function codeUnit(args: {
  parts: readonly UnitPart[];
  column: number;
  row: number;
  place: BlockPlace;
  coder: BlockCoder;
  isLost: boolean;
}): boolean {
  const { parts, column, row, place, coder } = args;
  let isLost = args.isLost;
  for (let slot = 0; slot < parts.length; slot++) {
    const part = parts[slot] as UnitPart;
    for (let y = 0; y < part.rows; y++) {
      const classes = part.classes[y];
      for (let x = 0; x < part.columns; x++) {
        place.slot = slot;
        place.column = column * part.columns + x;
        place.row = row * part.rows + y;
        place.cellClass = classes === undefined ? 0 : (classes[place.column] as number);
        if (isLost) coder.blank(place);
        else isLost = !coder.code(place);
      }
    }
  }
  return !isLost;
}
