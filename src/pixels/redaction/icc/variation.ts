import { ProfileError } from "./reader.ts";

/**
 * The most that a table's values may go up and down in total along one line of its grid, and along all lines on average, in
 * full scales. Color tables reach 2.6 and 0.8. Bytes of other content reach a third of the line's number of points.
 */
const MAX_LINE_SCALES = 4;
const MAX_MEAN_SCALES = 1.5;

/**
 * Throws {@link ProfileError} if a table's values jump as no colors do: the values may be another file in disguise. A line of
 * the grid is `points` values, each `stride` after the one before it.
 */
export function refuseNoise(
  values: Uint8Array | Uint16Array,
  { stride, points }: { stride: number; points: number },
): void {
  const fullScale = values instanceof Uint8Array ? 0xff : 0xffff;
  let sum = 0;
  for (let block = 0; block < values.length; block += stride * points) {
    for (let start = block; start < block + stride; start++) {
      let line = 0;
      for (let at = start + stride; at < start + stride * points; at += stride) {
        line += Math.abs((values[at] as number) - (values[at - stride] as number));
      }
      if (line > MAX_LINE_SCALES * fullScale) throw new ProfileError("A line of a table is noise.");
      sum += line;
    }
  }
  const lines = values.length / points;
  if (sum > MAX_MEAN_SCALES * fullScale * lines) throw new ProfileError("A table is noise.");
}
