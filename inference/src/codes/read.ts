import type { ReadResult } from "zxing-wasm/reader";
import { boundsOf } from "../geometry/box.ts";
import type { Point } from "../geometry/box.ts";
import { toGrey } from "../images/grey.ts";
import type { Picture } from "../images/decode.ts";
import { isMatrix } from "./formats.ts";
import { measureReach } from "./grow.ts";
import type { GreyPicture } from "./grow.ts";
import { readGrey } from "./reader.ts";

export interface FoundCode {
  /** Root of the format's family, as the reader names it. */
  symbology: string;
  /** Whether it could be read; otherwise it was only located. */
  isRead: boolean;
  /** Corners in 0…1 of the picture, clockwise. */
  corners: readonly [Point, Point, Point, Point];
}

/** Locates codes of every format in a picture; what they say is not kept. */
export async function readCodes(picture: Picture): Promise<FoundCode[]> {
  const grey = toGrey(picture);
  const results = await readGrey(grey, { returnErrors: true, maxNumberOfSymbols: 255 });
  return results.map((result) => toFoundCode(result, grey));
}

const toFoundCode = (result: ReadResult, grey: GreyPicture): FoundCode => {
  const { topLeft, topRight, bottomRight, bottomLeft } = result.position;
  const quad = [topLeft, topRight, bottomRight, bottomLeft].map(({ x, y }): Point => [x, y]);
  const [a = [0, 0], b = [0, 0], c = [0, 0], d = [0, 0]] = quad;
  const corners = isMatrix(result.symbology) ? ([a, b, c, d] as const) : growLinear(grey, [a, b, c, d]);
  const scaled = corners.map(([x, y]): Point => [x / grey.width, y / grey.height]);
  const [p = [0, 0], q = [0, 0], r = [0, 0], s = [0, 0]] = scaled;
  return { symbology: result.symbology, isRead: result.isValid, corners: [p, q, r, s] };
};

const middle = (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];

/** The reader gives a one-dimensional code's scanned strip; its bars reach further. */
const growLinear = (
  grey: GreyPicture,
  [a, b, c, d]: readonly [Point, Point, Point, Point],
): readonly [Point, Point, Point, Point] => {
  const start = middle(a, d);
  const end = middle(b, c);
  const length = Math.hypot(end[0] - start[0], end[1] - start[1]);
  if (length < 1) return [a, b, c, d];
  const normal: Point = [-(end[1] - start[1]) / length, (end[0] - start[0]) / length];
  const heightOf = (corner: Point): number =>
    (corner[0] - start[0]) * normal[0] + (corner[1] - start[1]) * normal[1];
  const reach = measureReach(grey, start, end);
  const heights = boundsOf([a, b, c, d].map((corner): Point => [0, heightOf(corner)]));
  const before = Math.max(reach.before, -heights.top);
  const after = Math.max(reach.after, heights.bottom);
  const moved = (point: Point, by: number): Point => [point[0] + normal[0] * by, point[1] + normal[1] * by];
  return [moved(start, -before), moved(end, -before), moved(end, after), moved(start, after)];
};
