import { concatBytes } from "../bytes/bytes.ts";
import { pad, typeHead, uint16Bytes, uint32Bytes } from "./numbers.ts";
import { ProfileError, type ProfileReader } from "./reader.ts";
import { refuseNoise } from "./variation.ts";

/** A curve given by values at even steps. No values mean the identity; one value is an exponent (ICC.1:2022, 10.6). */
interface SampledCurve {
  readonly kind: "sampled";
  readonly values: Uint16Array;
}

/** A curve given by a formula and its parameters (ICC.1:2022, 10.18). */
interface ParametricCurve {
  readonly kind: "parametric";
  readonly formula: number;
  readonly parameters: Int32Array;
}

/** One channel's curve. */
export type Curve = SampledCurve | ParametricCurve;

const HEAD_BYTES = 12;
/** The most values a curve may have. It is the limit of 16-bit tables (ICC.1:2022, 10.10). */
export const MAX_CURVE_VALUES = 4096;
/** Number of parameters of each formula (ICC.1:2022, table 68). */
const PARAMETER_COUNTS = [1, 3, 4, 5, 7];

/** Reads the curve at the start of a part. Throws {@link ProfileError} for an unknown type, too many values, or noise. */
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

/** Reads `count` curves. Each begins at the first multiple of four bytes after the one before it. */
export function readCurves(reader: ProfileReader, count: number): readonly Curve[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    const curve = readCurve(reader.part(at));
    at += curveBytes(curve).byteLength;
    return curve;
  });
}

/** A curve as bytes, padded to a multiple of four. */
export function curveBytes(curve: Curve): Uint8Array {
  if (curve.kind === "sampled") {
    const { values } = curve;
    return pad(concatBytes([typeHead("curv"), uint32Bytes([values.length]), uint16Bytes(values)]));
  }
  const { formula, parameters } = curve;
  return concatBytes([typeHead("para"), uint16Bytes([formula, 0]), uint32Bytes(parameters)]);
}
