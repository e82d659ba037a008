import type { YoloxOutputs } from "./outputs.ts";
import { type Candidate, type PublishedAnswer, boxAtCell } from "./published-answer.ts";

/**
 * YOLOX (Ge et al. 2021), exported without decoding. Each grid point has the center as an offset in strides, the sides as
 * logarithms of strides, an objectness score, and a score per class.
 */
export function decodeYolox(
  { output: name, strides, classes }: YoloxOutputs,
  { output, size, thresholds }: PublishedAnswer,
): Candidate[] {
  const values = output(name);
  const grids = strides.map((stride) => ({
    stride,
    columns: Math.floor(size.width / stride),
    rows: Math.floor(size.height / stride),
  }));
  const points = grids.reduce((sum, { columns, rows }) => sum + columns * rows, 0);
  const length = values.length / points;
  const wanted = Object.entries(classes).flatMap(([index, category]) => {
    const threshold = thresholds.get(category);
    return threshold === undefined ? [] : [{ offset: 5 + Number(index), category, threshold }];
  });
  const found: Candidate[] = [];
  let first = 0;
  for (const { stride, columns, rows } of grids) {
    for (let i = 0; i < columns * rows; i += 1) {
      const start = (first + i) * length;
      const at = (offset: number): number => values[start + offset] ?? 0;
      for (const { offset, category, threshold } of wanted) {
        const confidence = at(4) * at(offset);
        if (confidence < threshold) continue;
        const box = boxAtCell({ index: i, columns, stride }, [at(0), at(1)], [at(2), at(3)]);
        found.push({ category, confidence, box });
      }
    }
    first += columns * rows;
  }
  return found;
}
