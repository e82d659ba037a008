import { concatBytes } from "../bytes/bytes.ts";
import { pad, typeHead, uint16Bytes, uint32Bytes } from "./numbers.ts";
import { ProfileError, type ProfileReader } from "./reader.ts";
import { refuseNoise } from "./variation.ts";

/** A curve by its values at even steps; none is the identity, one an exponent (ICC.1:2022, 10.6). */
interface SampledCurve {
  readonly kind: "sampled";
  readonly values: Uint16Array;
}

/** A curve by a formula and its parameters (ICC.1:2022, 10.18). */
interface ParametricCurve {
  readonly kind: "parametric";
  readonly formula: number;
  readonly parameters: Int32Array;
}

/** One channel's curve. */
export type Curve = SampledCurve | ParametricCurve;

const HEAD_BYTES = 12;
/** Most values of one curve: what tables of 16 bits are limited to (ICC.1:2022, 10.10). */
export const MAX_CURVE_VALUES = 4096;
/** By formula (ICC.1:2022, table 68). */
const PARAMETER_COUNTS = [1, 3, 4, 5, 7];

/** Reads the curve that a part begins with. */
export function readCurve(reader: ProfileReader): Curve {
  const signature = reader.signature(0);
  if (signature === "curv") {
    const count = reader.uint32(8);
    if (count > MAX_CURVE_VALUES) throw new ProfileError("A curve has too many values.");
    const values = reader.uint16s(HEAD_BYTES, count);
    if (count > 1) refuseNoise(values, { stride: 1, points: count });
    return { kind: "sampled", values };
  }
  const formula = reader.uint16(8);
  const parameterCount = PARAMETER_COUNTS[formula];
  if (signature !== "para" || parameterCount === undefined)
    throw new ProfileError("A curve is of no known type.");
  return { kind: "parametric", formula, parameters: reader.fixed32s(HEAD_BYTES, parameterCount) };
}

/** Reads as many curves as given, each beginning at a multiple of four bytes after the one before it. */
export function readCurves(reader: ProfileReader, count: number): readonly Curve[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    const curve = readCurve(reader.part(at));
    at += curveBytes(curve).byteLength;
    return curve;
  });
}

/** A curve as bytes, up to a multiple of four. */
export function curveBytes(curve: Curve): Uint8Array {
  if (curve.kind === "sampled") {
    const { values } = curve;
    return pad(concatBytes([typeHead("curv"), uint32Bytes([values.length]), uint16Bytes(values)]));
  }
  const { formula, parameters } = curve;
  return concatBytes([typeHead("para"), uint16Bytes([formula, 0]), uint32Bytes(parameters)]);
}
