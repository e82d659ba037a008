import { concatBytes } from "../bytes/bytes.ts";
import { curveBytes, readCurves } from "./curves.ts";
import type { Channels } from "./lut-tables.ts";
import { pad, typeHead, uint16Bytes, uint32Bytes } from "./numbers.ts";
import { ProfileError, type ProfileReader } from "./reader.ts";
import { refuseNoise } from "./variation.ts";

const HEAD_BYTES = 32;
/** Where the head stores the offsets of the B curves, the matrix, the M curves, the grid and the A curves. */
const OFFSETS_AT = 12;
const MATRIX_VALUES = 12;
/** Axes in a grid's head, each with its number of points (ICC.1:2022, 10.12.3). */
const MAX_AXES = 16;
const GRID_HEAD_BYTES = MAX_AXES + 4;

/**
 * Reads a table made of stages, lutAToBType or lutBToAType (ICC.1:2022, 10.12 and 10.13), and returns an equivalent table that
 * holds nothing else. Throws {@link ProfileError} for a table that is invalid or holds noise.
 */
export function rebuildLutStages(reader: ProfileReader, channels: Channels): Uint8Array {
  const { inputs, outputs } = channels;
  if (reader.uint8(8) !== inputs || reader.uint8(9) !== outputs) {
    throw new ProfileError("A table has other channels than the picture.");
  }
  const signature = reader.signature(0);
  const [bCount, aCount] = signature === "mAB " ? [outputs, inputs] : [inputs, outputs];
  const [bAt = 0, matrixAt = 0, mAt = 0, gridAt = 0, aAt = 0] = Array.from({ length: 5 }, (_, index) =>
    reader.uint32(OFFSETS_AT + 4 * index),
  );
  const hasGrid = gridAt !== 0 && aAt !== 0;
  if (bAt === 0 || (matrixAt === 0) !== (mAt === 0) || (gridAt === 0) !== (aAt === 0)) {
    throw new ProfileError("A table lacks a stage.");
  }
  if ((!hasGrid && inputs !== outputs) || (mAt !== 0 && bCount !== 3)) {
    throw new ProfileError("A table's stages do not fit each other.");
  }
  const stages = [
    curvesBytes(reader.part(bAt), bCount),
    matrixAt === 0 ? undefined : uint32Bytes(reader.fixed32s(matrixAt, MATRIX_VALUES)),
    mAt === 0 ? undefined : curvesBytes(reader.part(mAt), bCount),
    hasGrid ? rebuildGrid(reader.part(gridAt), channels) : undefined,
    hasGrid ? curvesBytes(reader.part(aAt), aCount) : undefined,
  ];
  const offsets: number[] = [];
  let at = HEAD_BYTES;
  for (const stage of stages) {
    offsets.push(stage === undefined ? 0 : at);
    at += stage?.byteLength ?? 0;
  }
  const head = [typeHead(signature), Uint8Array.of(inputs, outputs, 0, 0), uint32Bytes(offsets)];
  return concatBytes([...head, ...stages.filter((stage) => stage !== undefined)]);
}

function curvesBytes(reader: ProfileReader, count: number): Uint8Array {
  return concatBytes(readCurves(reader, count).map(curveBytes));
}

function rebuildGrid(reader: ProfileReader, { inputs, outputs }: Channels): Uint8Array {
  const points = reader.uint8s(0, inputs);
  const sampleBytes = reader.uint8(MAX_AXES);
  if (points.some((count) => count < 2) || sampleBytes < 1 || sampleBytes > 2) {
    throw new ProfileError("A table's grid is impossible.");
  }
  const count = points.reduce((product, each) => product * each, outputs);
  const values =
    sampleBytes === 2 ? reader.uint16s(GRID_HEAD_BYTES, count) : reader.uint8s(GRID_HEAD_BYTES, count);
  let stride = outputs;
  for (const each of points.toReversed()) {
    refuseNoise(values, { stride, points: each });
    stride *= each;
  }
  const head = new Uint8Array(GRID_HEAD_BYTES);
  head.set(points);
  head[MAX_AXES] = sampleBytes;
  return pad(concatBytes([head, values instanceof Uint16Array ? uint16Bytes(values) : values]));
}
