import type { ReaderOptions, ReadResult } from "zxing-wasm/reader";
import type { Point } from "../geometry/box.ts";
import { isInside } from "../geometry/polygon.ts";
import { cutOut, scaleGrey, sourceOf } from "../images/grey.ts";
import type { Cutout, GreyPicture } from "../images/grey.ts";
import { enlargingShift } from "../images/view.ts";
import { calmed } from "./calm.ts";
import { readGrey } from "./reader.ts";
import { findStripes } from "./stripes.ts";
import type { StripedRegion } from "./stripes.ts";

export type Quad = readonly [Point, Point, Point, Point];

/** A code in pixels of the picture. */
export interface LocatedCode {
  symbology: string;
  format: string;
  isRead: boolean;
  corners: Quad;
}

/** One part of looking for codes: together they look for all, each on a thread of its own. */
export type CodeLook = "dataMatrixAndLinear" | "otherMatrix" | "stripes";

/** The longest first, so that threads end at about the same time. */
export const CODE_LOOKS: readonly CodeLook[] = ["dataMatrixAndLinear", "stripes", "otherMatrix"];

/** Located though unreadable is enough; the reader's other defaults already spend the time to find all. */
const ALL_SYMBOLS: ReaderOptions = { returnErrors: true, maxNumberOfSymbols: 255 };

type Formats = NonNullable<ReaderOptions["formats"]>;

/** The reader looks for one format after the other, without regard to each other: taking them apart loses none. */
const FORMATS: Readonly<Record<Exclude<CodeLook, "stripes">, { linear: Formats; matrix: Formats }>> = {
  dataMatrixAndLinear: { linear: ["AllLinear"], matrix: ["DataMatrix"] },
  otherMatrix: {
    linear: [],
    matrix: ["QRCode", "MicroQRCode", "RMQRCode", "Aztec", "PDF417", "MaxiCode"],
  },
};

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
  grey: GreyPicture;
  /** Without its grain. */
  calm: GreyPicture;
}

/** A picture made ready to be looked at for codes. */
export function codePictureOf(grey: GreyPicture): CodePicture {
  return { grey, calm: calmed(grey) };
}

/** Looks for codes in one of the ways. */
export async function attempt(picture: CodePicture, look: CodeLook): Promise<LocatedCode[]> {
  return look === "stripes" ? attemptStripes(picture.grey) : attemptWhole(picture, FORMATS[look]);
}

/** Reads the whole picture at its size, reduced, and enlarged when it is small. */
const attemptWhole = async (
  { grey, calm }: CodePicture,
  { linear, matrix }: { linear: Formats; matrix: Formats },
): Promise<LocatedCode[]> => {
  const all = { ...ALL_SYMBOLS, formats: [...linear, ...matrix] };
  const found = await attemptScaled(calm, 1, { ...ALL_SYMBOLS, formats: matrix });
  // Bars that are out of focus differ no more than grain does.
  if (linear.length > 0) found.push(...(await attemptScaled(grey, 1, { ...ALL_SYMBOLS, formats: linear })));
  const pixels = grey.width * grey.height;
  if (pixels <= MAX_SMOOTHED_PIXELS) found.push(...(await attemptScaled(grey, SMOOTHING_SCALE, all)));
  if (pixels <= MAX_ENLARGED_PIXELS) {
    const enlarged = { ...ALL_SYMBOLS, formats: matrix, tryDownscale: false };
    found.push(...(await attemptScaled(grey, ENLARGING_SCALE, enlarged)));
  }
  return found;
};

/** Turns regions full of bars upright and reads each; those within a code read already are left out. */
const attemptStripes = async (picture: GreyPicture): Promise<LocatedCode[]> => {
  const found: LocatedCode[] = [];
  for (const region of findStripes(picture, MAX_STRIPED_REGIONS)) {
    const isKnown = found.some((code) => code.isRead && isInside(region.centre, code.corners));
    if (isKnown || (isUpright(region) && region.length >= SMALL_LENGTH)) continue;
    found.push(...(await attemptTurned(picture, cutoutOf(region), BAR_FORMATS)));
  }
  return found;
};

const cutoutOf = ({ centre, angleRadians, length, breadth }: StripedRegion): Cutout => ({
  centre,
  angleRadians,
  width: length * MORE_LENGTH + MARGIN,
  height: breadth + MARGIN,
  scale: length < SMALL_LENGTH ? 2 : 1,
});

const isUpright = ({ angleRadians }: StripedRegion): boolean => {
  const quarter = Math.PI / 2;
  const turn = Math.abs(angleRadians) % quarter;
  return Math.min(turn, quarter - turn) < UPRIGHT_RADIANS;
};

const attemptScaled = async (
  picture: GreyPicture,
  scale: number,
  options: ReaderOptions,
): Promise<LocatedCode[]> => {
  const part = await scaleGrey(picture, scale);
  const shift = enlargingShift(scale);
  const [scaleX, scaleY] = [picture.width / part.width, picture.height / part.height];
  const results = await readGrey(part, options);
  return results.map((result) => located(result, ([x, y]) => [(x - shift) * scaleX, (y - shift) * scaleY]));
};

const attemptTurned = async (
  picture: GreyPicture,
  cutout: Cutout,
  options: ReaderOptions,
): Promise<LocatedCode[]> => {
  const part = cutOut(picture, cutout);
  const results = await readGrey(part, options);
  const toPicture = sourceOf(cutout, part.width, part.height);
  return results.map((result) => located(result, ([x, y]) => shifted(toPicture([x - 0.5, y - 0.5]))));
};

/** The reader's coordinates count pixel edges, a cut-out's count pixel centres. */
const shifted = ([x, y]: Point): Point => [x + 0.5, y + 0.5];

const located = (result: ReadResult, map: (point: Point) => Point): LocatedCode => {
  const { topLeft, topRight, bottomRight, bottomLeft } = result.position;
  const corner = ({ x, y }: { x: number; y: number }): Point => map([x, y]);
  return {
    symbology: result.symbology,
    format: result.format,
    isRead: result.isValid,
    corners: [corner(topLeft), corner(topRight), corner(bottomRight), corner(bottomLeft)],
  };
};
