import type { ReaderOptions, ReadResult } from "zxing-wasm/reader";
import type { Point } from "../geometry/box.ts";
import { isInside } from "../geometry/polygon.ts";
import { cutOut, scaleGrey, sourceOf, type Cutout, type GreyPicture } from "../images/grey.ts";
import { enlargingShift } from "../images/view.ts";
import { denoisedPicture } from "./denoise.ts";
import { readGrey } from "./reader.ts";
import { findStripes, type StripedRegion } from "./stripes.ts";

export type Quad = readonly [Point, Point, Point, Point];

/** A code, with corners in pixels of the picture. */
export interface LocatedCode {
  readonly symbology: string;
  readonly format: string;
  readonly isRead: boolean;
  readonly corners: Quad;
}

/** A code as the search reports it: without its content. */
export interface FoundCode {
  /** Root of the format's family, by the reader's name. */
  readonly symbology: string;
  /** Whether the code was read. Otherwise it was only located. */
  readonly isRead: boolean;
  /** Corners in 0…1 of the picture, in order around the code. */
  readonly corners: Quad;
}

/** One part of the search for codes. Together the parts find all codes, each on its own thread. */
export type CodeLook = "dataMatrixAndLinear" | "otherMatrix" | "stripes";

/** The longest is first, so that the threads finish at about the same time. */
export const CODE_LOOKS: readonly CodeLook[] = ["dataMatrixAndLinear", "stripes", "otherMatrix"];

/** Also reports codes that are located but unreadable. The reader's other defaults already take the time to find all. */
const ALL_SYMBOLS: ReaderOptions = { returnErrors: true, maxNumberOfSymbols: 255 };

/** The reader looks for each format independently, so separate runs find the same codes as a single run. */
const LINEAR: ReaderOptions = { ...ALL_SYMBOLS, formats: ["AllLinear"] };
const DATA_MATRIX: ReaderOptions = { ...ALL_SYMBOLS, formats: ["DataMatrix"] };
const OTHER_MATRIX: ReaderOptions = {
  ...ALL_SYMBOLS,
  formats: ["QRCode", "MicroQRCode", "RMQRCode", "Aztec", "PDF417", "MaxiCode"],
};
const ENLARGED_MATRIX: ReaderOptions = { ...ALL_SYMBOLS, formats: ["AllMatrix"], tryDownscale: false };

/** Formats that the reader finds only along rows, so it misses codes at an angle. It finds PDF417 by its start and stop bars. */
const BAR_FORMATS: ReaderOptions = {
  ...ALL_SYMBOLS,
  formats: ["AllLinear", "PDF417"],
  tryRotate: false,
  returnErrors: false,
};

/** Averaging neighboring pixels removes noise that breaks up modules at full size. */
const SMOOTHING_SCALE = 2 / 3;
/** The reader itself scales down larger pictures. */
const MAX_SMOOTHED_PIXELS = 1_300_000;
/** Small pictures are also read enlarged, for symbols with modules of a pixel or two. */
const ENLARGING_SCALE = 1.5;
const MAX_ENLARGED_PIXELS = 400_000;

const MAX_STRIPED_REGIONS = 12;
/** The pass over the whole picture already scanned bars that are closer than this to a row or column. */
const UPRIGHT_RADIANS = Math.PI / 36;
/** Striped regions shorter than this, in pixels, are read at twice their size. */
const SMALL_LENGTH = 300;
/**
 * The cut-out is larger than the striped blocks by this factor: a code's ends are its sparsest part, and some codes form two
 * groups.
 */
const MORE_LENGTH = 1.4;
const MARGIN = 32;

/** A picture prepared for the search for codes. Threads share it. */
export interface CodePicture {
  readonly grey: GreyPicture;
  /** Without its grain. */
  readonly denoised: GreyPicture;
}

/** Prepares a picture for the search for codes. */
export function codePictureOf(grey: GreyPicture): CodePicture {
  return { grey, denoised: denoisedPicture(grey) };
}

/** Runs one part of the search for codes. */
export async function attempt(picture: CodePicture, look: CodeLook): Promise<LocatedCode[]> {
  return LOOKS[look](picture);
}

/**
 * Reads the picture at its own size, and all formats scaled down. Linear codes need the grain: out-of-focus bars differ no more
 * than grain.
 */
async function attemptDataMatrixAndLinear({ grey, denoised }: CodePicture): Promise<LocatedCode[]> {
  const found = await attemptScaled(denoised, 1, DATA_MATRIX);
  found.push(...(await attemptScaled(grey, 1, LINEAR)));
  if (grey.width * grey.height > MAX_SMOOTHED_PIXELS) return found;
  return [...found, ...(await attemptScaled(grey, SMOOTHING_SCALE, ALL_SYMBOLS))];
}

/** Reads the picture at its own size, and all matrix formats enlarged. */
async function attemptOtherMatrix({ grey, denoised }: CodePicture): Promise<LocatedCode[]> {
  const found = await attemptScaled(denoised, 1, OTHER_MATRIX);
  if (grey.width * grey.height > MAX_ENLARGED_PIXELS) return found;
  return [...found, ...(await attemptScaled(grey, ENLARGING_SCALE, ENLARGED_MATRIX))];
}

/** Turns regions full of bars upright and reads each of them. Skips regions inside a code that was already read. */
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

/** The reader counts coordinates from pixel edges; a cut-out counts them from pixel centers. */
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
