import { concatBytes } from "../bytes/bytes.ts";
import { curveBytes, type Curve } from "./curves.ts";
import { typeHead, uint32Bytes } from "./numbers.ts";
import { writeProfile } from "./profile.ts";
import { wordTags } from "./words.ts";

/** Color primaries and transfer characteristics as numbers of ITU-T H.273, tables 2 and 3. */
export interface ColourMeaning {
  readonly primaries: number;
  readonly transfer: number;
}

type Three = readonly [number, number, number];
type Matrix = readonly [Three, Three, Three];
/** x and y of red, green, blue and white. */
type Chromaticities = readonly (readonly [number, number])[];

const D65 = [0.3127, 0.329] as const;
/** Primaries other than those of sRGB (number 1). sRGB needs no profile (H.273, table 2). */
const PRIMARIES: ReadonlyMap<number, Chromaticities> = new Map([
  [
    4,
    [
      [0.67, 0.33],
      [0.21, 0.71],
      [0.14, 0.08],
      [0.31, 0.316],
    ],
  ],
  [9, [[0.708, 0.292], [0.17, 0.797], [0.131, 0.046], D65]],
  [
    11,
    [
      [0.68, 0.32],
      [0.265, 0.69],
      [0.15, 0.06],
      [0.314, 0.351],
    ],
  ],
  [12, [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06], D65]],
]);
const SRGB: Chromaticities = [[0.64, 0.33], [0.3, 0.6], [0.15, 0.06], D65];

/** Exponents of gamma curves, by transfer characteristics (H.273, table 3). */
const EXPONENTS: ReadonlyMap<number, number> = new Map([
  [4, 2.2],
  [5, 2.8],
  [8, 1],
]);
const PQ = 16;
/** The PQ constants (SMPTE ST 2084, 5.1), its peak, and its reference white (ITU-R BT.2408, 2.1), both in cd/m². */
const [PQ_M1, PQ_M2, PQ_C1, PQ_C2, PQ_C3] = [0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875];
const PQ_BRIGHTEST = 10_000;
const PQ_WHITE = 203;
const PQ_VALUES = 1024;

/** The D50 white point (ICC.1:2022, 7.2.16) and the Bradford matrix for adapting to it (ICC.1:2022, E.3). */
const D50: Three = [0.9642, 1, 0.8249];
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

/**
 * A profile for a picture whose file defines its colors only by H.273 numbers. Undefined if the colors are those of sRGB, or if
 * viewers show them as they show unlabeled pictures.
 */
export function codedProfile({ primaries, transfer }: ColourMeaning): Uint8Array | undefined {
  const chromaticities = PRIMARIES.get(primaries);
  const exponent = EXPONENTS.get(transfer);
  if (chromaticities === undefined && exponent === undefined && transfer !== PQ) return undefined;
  const { colorants, adaptation } = adapt(chromaticities ?? SRGB);
  const curve = curveBytes(curveOf(transfer, exponent));
  const header = {
    majorVersion: 4,
    deviceClass: "mntr",
    colourSpace: "RGB ",
    channels: 3,
    connectionSpace: "XYZ ",
    renderingIntent: 0,
  } as const;
  const [red, green, blue] = transpose(colorants);
  return writeProfile(
    header,
    new Map([
      ...wordTags(4),
      ["wtpt", xyzBytes(D50)],
      ["rXYZ", xyzBytes(red)],
      ["gXYZ", xyzBytes(green)],
      ["bXYZ", xyzBytes(blue)],
      ["rTRC", curve],
      ["gTRC", curve],
      ["bTRC", curve],
      ["chad", concatBytes([typeHead("sf32"), fixedBytes(adaptation.flat())])],
    ]),
  );
}

/** The colorants of red, green and blue under D50, in the columns of a matrix, and the adaptation matrix. */
function adapt(chromaticities: Chromaticities): { colorants: Matrix; adaptation: Matrix } {
  const [red, green, blue, white] = chromaticities.map(([x, y]): Three => [x / y, 1, (1 - x - y) / y]) as [
    Three,
    Three,
    Three,
    Three,
  ];
  const primaries = transpose([red, green, blue]);
  const amounts = apply(invert(primaries), white);
  const toXyz = multiply(primaries, diagonal(amounts));
  const from = apply(BRADFORD, white);
  const to = apply(BRADFORD, D50);
  const scales = diagonal([to[0] / from[0], to[1] / from[1], to[2] / from[2]]);
  const adaptation = multiply(invert(BRADFORD), multiply(scales, BRADFORD));
  return { colorants: multiply(adaptation, toXyz), adaptation };
}

function curveOf(transfer: number, exponent: number | undefined): Curve {
  if (transfer === PQ) {
    const values = Uint16Array.from({ length: PQ_VALUES }, (_, index) => {
      const root = (index / (PQ_VALUES - 1)) ** (1 / PQ_M2);
      const light = (Math.max(0, root - PQ_C1) / (PQ_C2 - PQ_C3 * root)) ** (1 / PQ_M1);
      return Math.round(65_535 * Math.min(1, (light * PQ_BRIGHTEST) / PQ_WHITE));
    });
    return { kind: "sampled", values };
  }
  // The sRGB curve (IEC 61966-2-1). Viewers also use it for ITU-R BT.709 and 2020, and for HLG on a screen of usual brightness.
  const parameters =
    exponent === undefined ? [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045] : [exponent];
  return { kind: "parametric", formula: exponent === undefined ? 3 : 0, parameters: fixed(parameters) };
}

function xyzBytes(values: Three): Uint8Array {
  return concatBytes([typeHead("XYZ "), fixedBytes(values)]);
}

function fixedBytes(values: readonly number[]): Uint8Array {
  return uint32Bytes(fixed(values));
}

/** Numbers of type s15Fixed16 (ICC.1:2022, 4.6). */
function fixed(values: readonly number[]): Int32Array {
  return Int32Array.from(values, (value) => Math.round(value * 65_536));
}

function apply(matrix: Matrix, [x, y, z]: Three): Three {
  return matrix.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Three;
}

function multiply(left: Matrix, right: Matrix): Matrix {
  return transpose(transpose(right).map((column) => apply(left, column)) as unknown as Matrix);
}

function transpose([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  return [
    [a, d, g],
    [b, e, h],
    [c, f, i],
  ];
}

function diagonal([a, b, c]: Three): Matrix {
  return [
    [a, 0, 0],
    [0, b, 0],
    [0, 0, c],
  ];
}

function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const scaled = (value: number): number => value / determinant;
  return [
    [scaled(e * i - f * h), scaled(c * h - b * i), scaled(b * f - c * e)],
    [scaled(f * g - d * i), scaled(a * i - c * g), scaled(c * d - a * f)],
    [scaled(d * h - e * g), scaled(b * g - a * h), scaled(a * e - b * d)],
  ];
}
