import { RedactionError } from "../errors.ts";

/** PNG, 9.2: filter types. */
const NONE = 0;
const SUB = 1;
const UP = 2;
const AVERAGE = 3;
const PAETH = 4;

/** Bytes of a row, of the row above, and the distance between pixels. */
interface Rows {
  readonly row: Uint8Array;
  readonly above: Uint8Array;
  readonly pixelBytes: number;
}

/** Undoes a row's filter in place (PNG, 9.2). `above` is the finished row before, zeros before the first. */
export function unfilter(type: number, { row, above, pixelBytes }: Rows): void {
  const { length } = row;
  switch (type) {
    case NONE:
      return;
    case SUB:
      for (let x = pixelBytes; x < length; x++) {
        row[x] = (row[x] as number) + (row[x - pixelBytes] as number);
      }
      return;
    case UP:
      for (let x = 0; x < length; x++) row[x] = (row[x] as number) + (above[x] as number);
      return;
    case AVERAGE:
      for (let x = 0; x < pixelBytes && x < length; x++) {
        row[x] = (row[x] as number) + ((above[x] as number) >> 1);
      }
      for (let x = pixelBytes; x < length; x++) {
        row[x] = (row[x] as number) + (((row[x - pixelBytes] as number) + (above[x] as number)) >> 1);
      }
      return;
    case PAETH:
      for (let x = 0; x < pixelBytes && x < length; x++) row[x] = (row[x] as number) + (above[x] as number);
      for (let x = pixelBytes; x < length; x++) {
        const left = row[x - pixelBytes] as number;
        const up = above[x] as number;
        const upLeft = above[x - pixelBytes] as number;
        row[x] = (row[x] as number) + paeth(left, up, upLeft);
      }
      return;
    default:
      throw new RedactionError("undecodable", "A PNG row names an unknown filter.");
  }
}

/** Filters a finished row into `target` (PNG, 9.2). */
export function filter(type: number, { row, above, pixelBytes }: Rows, target: Uint8Array): void {
  for (let x = 0; x < row.length; x++) {
    const left = x < pixelBytes ? 0 : (row[x - pixelBytes] as number);
    const up = above[x] as number;
    const upLeft = x < pixelBytes ? 0 : (above[x - pixelBytes] as number);
    let predicted = 0;
    if (type === SUB) predicted = left;
    else if (type === UP) predicted = up;
    else if (type === AVERAGE) predicted = (left + up) >> 1;
    else if (type === PAETH) predicted = paeth(left, up, upLeft);
    target[x] = (row[x] as number) - predicted;
  }
}

/** PNG, 9.4. */
function paeth(left: number, up: number, upLeft: number): number {
  const toLeft = Math.abs(up - upLeft);
  const toUp = Math.abs(left - upLeft);
  const toUpLeft = Math.abs(left + up - 2 * upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}
