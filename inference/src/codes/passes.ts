import type { ReaderOptions, ReadResult } from "zxing-wasm/reader";
import type { Point } from "../geometry/box.ts";
import { isInside } from "../geometry/polygon.ts";
import { cutOut, scaleGrey, sourceOf, type Cutout, type GreyPicture } from "../images/grey.ts";
import { enlargingShift } from "../images/view.ts";
import { calmPicture } from "./calm.ts";
import { readGrey } from "./reader.ts";
import { findStripes, type StripedRegion } from "./stripes.ts";

export type Quad = readonly [Point, Point, Point, Point];

/** A code in pixels of the picture. */
export interface LocatedCode {
  readonly symbology: string;
  readonly format: string;
  readonly isRead: boolean;
  readonly corners: Quad;
}

/** One part of looking for codes: together they look for all, each on a thread of its own. */
export type CodeLook = "dataMatrixAndLinear" | "otherMatrix" | "stripes";

/** The longest first, so that threads end at about the same time. */
export const CODE_LOOKS: readonly CodeLook[] = ["dataMatrixAndLinear", "stripes", "otherMatrix"];

/** Located though unreadable is enough; the reader's other defaults already spend the time to find all. */
const ALL_SYMBOLS: ReaderOptions = { returnErrors: true, maxNumberOfSymbols: 255 };

/** The reader looks for each format independently, so separate runs find the same codes as one. */
const LINEAR: ReaderOptions = { ...ALL_SYMBOLS, formats: ["AllLinear"] };
const DATA_MATRIX: ReaderOptions = { ...ALL_SYMBOLS, formats: ["DataMatrix"] };
const OTHER_MATRIX: ReaderOptions = {
  ...ALL_SYMBOLS,
  formats: ["QRCode", "MicroQRCode", "RMQRCode", "Aztec", "PDF417", "MaxiCode"],
};
const ENLARGED_MATRIX: ReaderOptions = { ...ALL_SYMBOLS, formats: ["AllMatrix"], tryDownscale: false };

/** What the reader scans along rows for, and misses aslant. PDF417 is found by its start and stop bars. */
const BAR_FORMATS: ReaderOptions = {
  ...ALL_SYMBOLS,
  formats: ["AllLinear", "PDF417"],
  tryRotate: false,
  returnErrors: false,
};

/** Averaging neighbours takes out noise that breaks up modules at full size. */
const SMOOTHING_SCALE = 2 / 3;
/** Larger pictures are reduced by the reader itself. */
const MAX_SMOOTHED_PIXELS = 1_300_000;
/** Small pictures are also read enlarged, for symbols with modules of a pixel or two. */
const ENLARGING_SCALE = 1.5;
const MAX_ENLARGED_PIXELS = 400_000;

const MAX_STRIPED_REGIONS = 12;
/** Bars nearer than this to a row or column were scanned by the pass over the whole picture. */
const UPRIGHT_RADIANS = Math.PI / 36;
/** Striped regions shorter than this are read at twice their size. */
const SMALL_LENGTH = 300;
/** How much more than the striped blocks is cut out: a code's ends are its sparsest part, and some come in two groups. */
const MORE_LENGTH = 1.4;
const MARGIN = 32;

/** A picture as it is looked at for codes; shared between threads. */
export interface CodePicture {
  readonly grey: GreyPicture;
  /** Without its grain. */
  readonly calm: GreyPicture;
}

/** A picture made ready to be looked at for codes. */
export function codePictureOf(grey: GreyPicture): CodePicture {
  return { grey, calm: calmPicture(grey) };
}

/** Looks for codes in one of the ways. */
export async function attempt(picture: CodePicture, look: CodeLook): Promise<LocatedCode[]> {
  return LOOKS[look](picture);
}

/** At its own size, and all formats reduced. Bars that are out of focus differ no more than grain does, so they keep it. */
async function attemptDataMatrixAndLinear({ grey, calm }: CodePicture): Promise<LocatedCode[]> {
  const found = await attemptScaled(calm, 1, DATA_MATRIX);
  found.push(...(await attemptScaled(grey, 1, LINEAR)));
  if (grey.width * grey.height > MAX_SMOOTHED_PIXELS) return found;
  return [...found, ...(await attemptScaled(grey, SMOOTHING_SCALE, ALL_SYMBOLS))];
}

/** At its own size, and all matrix formats enlarged. */
async function attemptOtherMatrix({ grey, calm }: CodePicture): Promise<LocatedCode[]> {
  const found = await attemptScaled(calm, 1, OTHER_MATRIX);
  if (grey.width * grey.height > MAX_ENLARGED_PIXELS) return found;
  return [...found, ...(await attemptScaled(grey, ENLARGING_SCALE, ENLARGED_MATRIX))];
}

/** Turns regions full of bars upright and reads each; those within a code read already are left out. */
async function attemptStripes({ grey }: CodePicture): Promise<LocatedCode[]> {
  const found: LocatedCode[] = [];
  for (const region of findStripes(grey, MAX_STRIPED_REGIONS)) {
    const isKnown = found.some((code) => code.isRead && isInside(region.centre, code.corners));
    if (isKnown || (isUpright(region) && region.length >= SMALL_LENGTH)) continue;
    found.push(...(await attemptTurned(grey, cutoutOf(region), BAR_FORMATS)));
  }
  return found;
}

const LOOKS: Readonly<Record<CodeLook, (picture: CodePicture) => Promise<LocatedCode[]>>> = {
  dataMatrixAndLinear: attemptDataMatrixAndLinear,
  otherMatrix: attemptOtherMatrix,
  stripes: attemptStripes,
};

function cutoutOf({ centre, angleRadians, length, breadth }: StripedRegion): Cutout {
  return {
    centre,
    angleRadians,
    width: length * MORE_LENGTH + MARGIN,
    height: breadth + MARGIN,
    scale: length < SMALL_LENGTH ? 2 : 1,
  };
}

function isUpright({ angleRadians }: StripedRegion): boolean {
  const quarter = Math.PI / 2;
  const turn = Math.abs(angleRadians) % quarter;
  return Math.min(turn, quarter - turn) < UPRIGHT_RADIANS;
}

async function attemptScaled(
  picture: GreyPicture,
  scale: number,
  options: ReaderOptions,
): Promise<LocatedCode[]> {
  const part = await scaleGrey(picture, scale);
  const shift = enlargingShift(scale);
  const [scaleX, scaleY] = [picture.width / part.width, picture.height / part.height];
  const results = await readGrey(part, options);
  return results.map((result) => locate(result, ([x, y]) => [(x - shift) * scaleX, (y - shift) * scaleY]));
}

async function attemptTurned(
  picture: GreyPicture,
  cutout: Cutout,
  options: ReaderOptions,
): Promise<LocatedCode[]> {
  const part = cutOut(picture, cutout);
  const results = await readGrey(part, options);
  const toPicture = sourceOf(cutout, part.width, part.height);
  return results.map((result) => locate(result, ([x, y]) => shiftToCorner(toPicture([x - 0.5, y - 0.5]))));
}

/** The reader's coordinates count pixel edges, a cut-out's count pixel centres. */
function shiftToCorner([x, y]: Point): Point {
  return [x + 0.5, y + 0.5];
}

function locate(result: ReadResult, map: (point: Point) => Point): LocatedCode {
  const { topLeft, topRight, bottomRight, bottomLeft } = result.position;
  const corner = ({ x, y }: { x: number; y: number }): Point => map([x, y]);
  return {
    symbology: result.symbology,
    format: result.format,
    isRead: result.isValid,
    corners: [corner(topLeft), corner(topRight), corner(bottomRight), corner(bottomLeft)],
  };
}
