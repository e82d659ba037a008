/** Rows of numbers, one for each frame: `values[frame · width + column]`. */
export interface Rows {
  readonly values: Float64Array;
  readonly width: number;
}

/** The longest interval between two kept rows, which limits the work. */
const LONGEST_INTERVAL = 64;

/**
 * Selects the rows to keep so that linear interpolation misses no row by more than its `tolerance`. Rows in `mustKeep` stay.
 * The result is in ascending order and always contains the first and last row.
 */
export function keepRows(
  rows: Rows,
  tolerance: (row: number) => number,
  mustKeep: ReadonlySet<number>,
): number[] {
  const count = rows.values.length / rows.width;
  const kept = [0];
  for (let start = 0; start < count - 1;) {
    let end = start + 1;
    while (end < count - 1 && !mustKeep.has(end) && end + 1 - start <= LONGEST_INTERVAL) {
      if (!isStraight(rows, { start, end: end + 1 }, tolerance)) break;
      end++;
    }
    kept.push(end);
    start = end;
  }
  return kept;
}

function isStraight(
  { values, width }: Rows,
  { start, end }: { readonly start: number; readonly end: number },
  tolerance: (row: number) => number,
): boolean {
  for (let row = start + 1; row < end; row++) {
    const share = (row - start) / (end - start);
    const limit = tolerance(row);
    for (let column = 0; column < width; column++) {
      const from = values[start * width + column] as number;
      const to = values[end * width + column] as number;
      if (Math.abs(from + (to - from) * share - (values[row * width + column] as number)) > limit)
        return false;
    }
  }
  return true;
}
