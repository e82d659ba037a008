import type { Point } from "../geometry/box.ts";
import type { Picture } from "../images/decode.ts";

/** Height of a line as the recognizer sees it, in pixels, and the limits of its width. */
const LINE_HEIGHT = 48;
const LINE_WIDTHS = { least: 48, most: 960 } as const;
/** Points that are averaged for a pixel of the line, in each direction. */
const POINTS = 4;

/** A line in a picture, in pixels: where it begins, and the sides along which it is read and from top to bottom. */
export interface Line {
  readonly start: Point;
  readonly along: Point;
  readonly down: Point;
}

/** A line as the recognizer takes it: [3, height, width] in −1…1, blue, green and red. */
export interface LineTensor {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Cuts a line out of a picture and straightens it. What lies outside the picture is gray. */
export function cutLine({ pixels, width, height }: Picture, { start, along, down }: Line): LineTensor {
  const bytes = new Uint8Array(pixels);
  const aspect = Math.hypot(...along) / Math.max(1, Math.hypot(...down));
  const columns = Math.round(Math.min(LINE_WIDTHS.most, Math.max(LINE_WIDTHS.least, LINE_HEIGHT * aspect)));
  const plane = columns * LINE_HEIGHT;
  const data = new Float32Array(3 * plane);
  const scale = 127.5 * POINTS * POINTS;
  for (let row = 0; row < LINE_HEIGHT; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let [red, green, blue] = [0, 0, 0];
      for (let point = 0; point < POINTS * POINTS; point += 1) {
        const u = (column + ((point % POINTS) + 0.5) / POINTS) / columns;
        const v = (row + (Math.floor(point / POINTS) + 0.5) / POINTS) / LINE_HEIGHT;
        const x = Math.floor(start[0] + u * along[0] + v * down[0]);
        const y = Math.floor(start[1] + u * along[1] + v * down[1]);
        const isInside = x >= 0 && y >= 0 && x < width && y < height;
        const at = 3 * (y * width + x);
        red += isInside ? (bytes[at] ?? 0) : 127.5;
        green += isInside ? (bytes[at + 1] ?? 0) : 127.5;
        blue += isInside ? (bytes[at + 2] ?? 0) : 127.5;
      }
      const to = row * columns + column;
      data[to] = blue / scale - 1;
      data[plane + to] = green / scale - 1;
      data[2 * plane + to] = red / scale - 1;
    }
  }
  return { data, width: columns, height: LINE_HEIGHT };
}
