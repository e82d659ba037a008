import { concatBytes } from "../bytes/bytes.ts";
import { MAX_CURVE_VALUES } from "./curves.ts";
import { typeHead, uint16Bytes, uint32Bytes } from "./numbers.ts";
import { ProfileError, type ProfileReader } from "./reader.ts";
import { refuseNoise } from "./variation.ts";

/** Number of input and output channels of a table. */
export interface Channels {
  readonly inputs: number;
  readonly outputs: number;
}

const MATRIX_VALUES = 9;
const MATRIX_AT = 12;
const TABLES_AT = MATRIX_AT + 4 * MATRIX_VALUES;
/** Entries of each 8-bit table (ICC.1:2022, 10.11). */
const SMALL_ENTRIES = 256;

/**
 * lut8Type or lut16Type (ICC.1:2022, 10.10 and 10.11): a matrix, a curve for each input, a grid, and a curve for each output,
 * with 8-bit or 16-bit values.
 */
interface LutTables {
  readonly channels: Channels;
  readonly gridPoints: number;
  readonly matrix: Int32Array;
  readonly inputs: Uint8Array | Uint16Array;
  readonly grid: Uint8Array | Uint16Array;
  readonly outputs: Uint8Array | Uint16Array;
}

/** Reads a table of either type and returns an equivalent table that holds nothing else. */
export function rebuildLutTables(reader: ProfileReader, channels: Channels): Uint8Array {
  return writeTables(readTables(reader, channels));
}

function readTables(reader: ProfileReader, channels: Channels): LutTables {
  const isWide = reader.signature(0) === "mft2";
  const { inputs, outputs } = channels;
  const gridPoints = reader.uint8(10);
  if (reader.uint8(8) !== inputs || reader.uint8(9) !== outputs || gridPoints < 2) {
    throw new ProfileError("A table has other channels than the picture.");
  }
  const inputEntries = isWide ? reader.uint16(TABLES_AT) : SMALL_ENTRIES;
  const outputEntries = isWide ? reader.uint16(TABLES_AT + 2) : SMALL_ENTRIES;
  if (Math.min(inputEntries, outputEntries) < 2 || Math.max(inputEntries, outputEntries) > MAX_CURVE_VALUES) {
    throw new ProfileError("A table's curves have an impossible length.");
  }
  const sampleBytes = isWide ? 2 : 1;
  const gridValues = gridPoints ** inputs * outputs;
  const inputsAt = TABLES_AT + (isWide ? 4 : 0);
  const gridAt = inputsAt + inputs * inputEntries * sampleBytes;
  const outputsAt = gridAt + gridValues * sampleBytes;
  const read = (at: number, count: number): Uint8Array | Uint16Array =>
    isWide ? reader.uint16s(at, count) : reader.uint8s(at, count);
  const tables = {
    channels,
    gridPoints,
    matrix: reader.fixed32s(MATRIX_AT, MATRIX_VALUES),
    inputs: read(inputsAt, inputs * inputEntries),
    grid: read(gridAt, gridValues),
    outputs: read(outputsAt, outputs * outputEntries),
  };
  refuseNoise(tables.inputs, { stride: 1, points: inputEntries });
  refuseNoise(tables.outputs, { stride: 1, points: outputEntries });
  for (let axis = 0, stride = outputs; axis < inputs; axis++, stride *= gridPoints) {
    refuseNoise(tables.grid, { stride, points: gridPoints });
  }
  return tables;
}

function writeTables({ channels, gridPoints, matrix, inputs, grid, outputs }: LutTables): Uint8Array {
  const isWide = grid instanceof Uint16Array;
  const entries = [inputs.length / channels.inputs, outputs.length / channels.outputs];
  const values = [inputs, grid, outputs];
  return concatBytes([
    typeHead(isWide ? "mft2" : "mft1"),
    Uint8Array.of(channels.inputs, channels.outputs, gridPoints, 0),
    uint32Bytes(matrix),
    ...(isWide ? [uint16Bytes(entries)] : []),
    ...values.map((part) => (part instanceof Uint16Array ? uint16Bytes(part) : part)),
  ]);
}
