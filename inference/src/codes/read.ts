import type { Point } from "../geometry/box.ts";
import type { Picture } from "../images/decode.ts";
import { toGrey } from "../images/grey.ts";
import type { GreyPicture } from "../images/grey.ts";
import { isMatrix, isStacked, outlineMargin } from "./formats.ts";
import type { OutlineMargin } from "./formats.ts";
import { growLinear } from "./grow.ts";
import { addCode, isPlausible } from "./merge.ts";
import { attemptStripes, attemptWhole } from "./passes.ts";
import type { LocatedCode, Quad } from "./passes.ts";

export interface FoundCode {
  /** Root of the format's family, as the reader names it. */
  symbology: string;
  /** Whether it could be read; otherwise it was only located. */
  isRead: boolean;
  /** Corners in 0…1 of the picture, going round. */
  corners: Quad;
}

/** Locates codes of every format in a picture, at any angle; what they say is not kept. */
export async function readCodes(picture: Picture): Promise<FoundCode[]> {
  const grey = toGrey(picture);
  let found: LocatedCode[] = [];
  const add = (located: readonly LocatedCode[]): void => {
    for (const code of located) {
      if (!isPlausible(code)) continue;
      found = addCode(found, { ...code, corners: outlineOf(grey, code) });
    }
  };
  add(await attemptWhole(grey));
  add(await attemptStripes(grey, found));
  return found.map(({ symbology, isRead, corners }) => ({
    symbology,
    isRead,
    corners: inUnits(corners, grey),
  }));
}

const outlineOf = (grey: GreyPicture, { symbology, format, corners }: LocatedCode): Quad => {
  const whole = isMatrix(symbology) ? corners : growLinear(grey, corners, { isStacked: isStacked(format) });
  return grown(whole, outlineMargin(symbology));
};

const between = (from: Point, to: Point, share: number): Point => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
];

const grown = ([a, b, c, d]: Quad, { along, across }: OutlineMargin): Quad => {
  const lengthened = [
    between(a, b, -along),
    between(a, b, 1 + along),
    between(d, c, 1 + along),
    between(d, c, -along),
  ] as const;
  const [e, f, g, h] = lengthened;
  return [
    between(e, h, -across),
    between(f, g, -across),
    between(f, g, 1 + across),
    between(e, h, 1 + across),
  ];
};

/** The reader counts pixel edges from the picture's corner; so do shares of its sides. */
const inUnits = ([a, b, c, d]: Quad, { width, height }: GreyPicture): Quad => [
  [a[0] / width, a[1] / height],
  [b[0] / width, b[1] / height],
  [c[0] / width, c[1] / height],
  [d[0] / width, d[1] / height],
];
