import type { Point } from "../geometry/box.ts";
import type { GreyPicture } from "../images/grey.ts";
import { isMatrix, isStacked, outlineMargin, type OutlineMargin } from "./formats.ts";
import { growLinear } from "./grow.ts";
import { isPlausible, unite } from "./merge.ts";
import {
  attempt,
  type CodeLook,
  type CodePicture,
  type LocatedCode,
  type Quad,
  type FoundCode,
} from "./passes.ts";

/** Locates codes by one part of the search and outlines them. Their content is dropped. */
export async function readCodes(picture: CodePicture, look: CodeLook): Promise<FoundCode[]> {
  return outline(picture.grey, await attempt(picture, look));
}

function outline(grey: GreyPicture, located: readonly LocatedCode[]): FoundCode[] {
  const plausible = located.filter(isPlausible);
  return unite(
    plausible.map((code) => ({
      symbology: code.symbology,
      isRead: code.isRead,
      corners: inUnits(outlineOf(grey, code), grey),
    })),
  );
}

function outlineOf(grey: GreyPicture, { symbology, format, corners }: LocatedCode): Quad {
  const whole = isMatrix(symbology) ? corners : growLinear(grey, corners, { isStacked: isStacked(format) });
  return grow(whole, outlineMargin(symbology));
}

function between(from: Point, to: Point, share: number): Point {
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
}

function grow([a, b, c, d]: Quad, { along, across }: OutlineMargin): Quad {
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
}

/**
 * Corners in 0…1 of the picture. Like shares of its sides, the reader's coordinates count pixel edges from the picture's
 * corner.
 */
function inUnits([a, b, c, d]: Quad, { width, height }: GreyPicture): Quad {
  return [
    [a[0] / width, a[1] / height],
    [b[0] / width, b[1] / height],
    [c[0] / width, c[1] / height],
    [d[0] / width, d[1] / height],
  ];
}
