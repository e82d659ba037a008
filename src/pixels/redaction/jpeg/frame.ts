import { RedactionError } from "../bytes/errors.ts";

/** One color component of a frame (T.81, B.2.2). */
export interface Component {
  /** Index in the frame header. */
  readonly index: number;
  readonly id: number;
  /** Sampling factors. */
  readonly horizontal: number;
  readonly vertical: number;
  readonly quantTable: number;
  /** Pixels of the picture that one 8×8 block spans. */
  readonly blockWidthPx: number;
  readonly blockHeightPx: number;
  /** Number of blocks that hold part of the picture. A scan of this component alone codes exactly these (T.81, A.2.2). */
  readonly columns: number;
  readonly rows: number;
  /** How many samples of the last block of a row, and of a column, belong to the picture. */
  readonly lastColumnSamples: number;
  readonly lastRowSamples: number;
  /** Number of blocks, including the padding that completes the last MCUs (T.81, A.2.4). */
  readonly paddedColumns: number;
  readonly paddedRows: number;
}

/** Size and layout of a picture (T.81, B.2.2). */
export interface Frame {
  readonly isProgressive: boolean;
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
  readonly mcuWidthPx: number;
  readonly mcuHeightPx: number;
  readonly mcuColumns: number;
  readonly mcuRows: number;
}

const PROGRESSIVE = 0xc2;
const SUPPORTED_FRAMES = new Set([0xc0, 0xc1, PROGRESSIVE]);

/** Reads a frame header. Throws `unsupported` for all kinds except 8-bit Huffman-coded sequential and progressive frames. */
export function readFrame(marker: number, payload: Uint8Array): Frame {
  if (!SUPPORTED_FRAMES.has(marker)) {
    throw new RedactionError(
      "unsupported",
      "Lossless, hierarchical and arithmetic-coded JPEG files are not redacted.",
    );
  }
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const count = payload[5] ?? 0;
  if (payload.byteLength < 6 + 3 * count)
    throw new RedactionError("undecodable", "The frame header is cut off.");
  if (payload[0] !== 8)
    throw new RedactionError("unsupported", "JPEG files of more than 8 bits are not redacted.");
  const height = view.getUint16(1);
  const width = view.getUint16(3);
  if (width === 0 || height === 0 || count === 0 || count > 4) {
    throw new RedactionError("undecodable", "The frame header names no picture.");
  }
  const factors = Array.from({ length: count }, (_, index) => {
    const factor = payload[7 + 3 * index] ?? 0;
    return { horizontal: factor >> 4, vertical: factor & 15 };
  });
  if (factors.some(({ horizontal: h, vertical: v }) => h < 1 || h > 4 || v < 1 || v > 4)) {
    throw new RedactionError("undecodable", "The frame header names impossible sampling factors.");
  }
  const ids = new Set(factors.map((_, index) => payload[6 + 3 * index]));
  if (ids.size < count) throw new RedactionError("undecodable", "Two components have the same name.");
  const maxHorizontal = Math.max(...factors.map(({ horizontal }) => horizontal));
  const maxVertical = Math.max(...factors.map(({ vertical }) => vertical));
  const mcuColumns = Math.ceil(width / (8 * maxHorizontal));
  const mcuRows = Math.ceil(height / (8 * maxVertical));
  const components = factors.map(({ horizontal, vertical }, index) => ({
    index,
    id: payload[6 + 3 * index] ?? 0,
    horizontal,
    vertical,
    quantTable: payload[8 + 3 * index] ?? 0,
    blockWidthPx: (8 * maxHorizontal) / horizontal,
    blockHeightPx: (8 * maxVertical) / vertical,
    columns: Math.ceil(Math.ceil((width * horizontal) / maxHorizontal) / 8),
    rows: Math.ceil(Math.ceil((height * vertical) / maxVertical) / 8),
    lastColumnSamples: lastSamples(Math.ceil((width * horizontal) / maxHorizontal)),
    lastRowSamples: lastSamples(Math.ceil((height * vertical) / maxVertical)),
    paddedColumns: mcuColumns * horizontal,
    paddedRows: mcuRows * vertical,
  }));
  return {
    isProgressive: marker === PROGRESSIVE,
    width,
    height,
    components,
    mcuWidthPx: 8 * maxHorizontal,
    mcuHeightPx: 8 * maxVertical,
    mcuColumns,
    mcuRows,
  };
}

function lastSamples(samples: number): number {
  return ((samples - 1) % 8) + 1;
}

/** One component's part in a scan. */
interface ScanComponent {
  readonly component: Component;
  readonly dcTable: number;
  readonly acTable: number;
}

/** A scan header (T.81, B.2.3). */
export interface Scan {
  readonly components: readonly ScanComponent[];
  /** First and last coefficient, in zigzag order. */
  readonly spectralStart: number;
  readonly spectralEnd: number;
  /** Bit position of the previous scan of the same coefficients (0 if there was none), and of this scan. */
  readonly approximationHigh: number;
  readonly approximationLow: number;
}

/** Most blocks in an MCU of several components (T.81, B.2.3). */
const MAX_MCU_BLOCKS = 10;

/** Reads a scan header. Throws `undecodable` for an invalid one. */
export function readScan(payload: Uint8Array, frame: Frame): Scan {
  const count = payload[0] ?? 0;
  if (count < 1 || count > 4 || payload.byteLength < 4 + 2 * count) {
    throw new RedactionError("undecodable", "A scan header is cut off.");
  }
  const components = Array.from({ length: count }, (_, index) => {
    const id = payload[1 + 2 * index];
    const tables = payload[2 + 2 * index] ?? 0;
    const component = frame.components.find((candidate) => candidate.id === id);
    if (component === undefined)
      throw new RedactionError("undecodable", "A scan names an unknown component.");
    return { component, dcTable: tables >> 4, acTable: tables & 15 };
  });
  const blocks = components.reduce((sum, { component: { horizontal: h, vertical: v } }) => sum + h * v, 0);
  const isRepeated = new Set(components.map(({ component }) => component)).size < count;
  if (isRepeated || (count > 1 && blocks > MAX_MCU_BLOCKS)) {
    throw new RedactionError("undecodable", "A scan's components do not fit an MCU.");
  }
  const tail = payload.subarray(1 + 2 * count);
  const scan = frame.isProgressive
    ? {
        components,
        spectralStart: tail[0] ?? 0,
        spectralEnd: tail[1] ?? 0,
        approximationHigh: (tail[2] ?? 0) >> 4,
        approximationLow: (tail[2] ?? 0) & 15,
      }
    : { components, spectralStart: 0, spectralEnd: 63, approximationHigh: 0, approximationLow: 0 };
  if (frame.isProgressive && !isProgressionStep(scan)) {
    throw new RedactionError("undecodable", "A scan header names an impossible step of a progression.");
  }
  return scan;
}

/** T.81, G.1.1.1: DC and AC are in separate scans, an AC scan has one component, and a refinement adds one bit. */
function isProgressionStep(scan: Scan): boolean {
  const { components, spectralStart: start, spectralEnd: end } = scan;
  const { approximationHigh: high, approximationLow: low } = scan;
  if (low > 13 || (high !== 0 && high !== low + 1)) return false;
  if (start === 0) return end === 0;
  return start <= end && end <= 63 && components.length === 1;
}
