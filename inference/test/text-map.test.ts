import { describe, expect, it } from "vitest";
import { decodeText, textMapOf } from "../src/models/text-map.ts";
import type { Detection } from "../src/detections/detection.ts";

const COLUMNS = 64;
const ROWS = 32;
const STRIDE = 4;
const picture = { width: COLUMNS * STRIDE, height: ROWS * STRIDE };
const view = { left: 0, top: 0, ...picture, scaledWidth: picture.width, scaledHeight: picture.height };

interface Strip {
  readonly column: number;
  readonly row: number;
  readonly columns: number;
  readonly rows: number;
  readonly likelihood: number;
}

/** What is read from a map of strips, best first, with boxes as left, top, right and bottom pixels. */
function linesOf(strips: readonly Strip[], options: { faint?: number; shift?: number } = {}): Detection[] {
  const map = new Float32Array(COLUMNS * ROWS);
  for (const { column, row, columns, rows, likelihood } of strips) {
    for (let y = row; y < row + rows; y += 1) {
      map.fill(likelihood, y * COLUMNS + column, y * COLUMNS + column + columns);
    }
  }
  const output = textMapOf({
    output: "text",
    category: "writing",
    stride: STRIDE,
    cell_threshold: 0.5,
    faint_cell_threshold: options.faint,
    min_cells: 3,
    growth: 0,
    min_growth_pixels: 0,
    shift_pixels: options.shift ?? 0,
  });
  return decodeText(map, output, { sizeMultiple: 64, view, picture, threshold: 0.1 }).toSorted(
    (a, b) => b.confidence - a.confidence,
  );
}

function boundsInPixels(line: Detection | undefined): number[] | undefined {
  return (
    line && [
      line.box.left * picture.width,
      line.box.top * picture.height,
      line.box.right * picture.width,
      line.box.bottom * picture.height,
    ]
  );
}

const FIRST = { column: 4, row: 4, columns: 20, rows: 2, likelihood: 0.95 };
const SECOND = { column: 4, row: 8, columns: 20, rows: 2, likelihood: 0.85 };
const BRIDGE = { column: 10, row: 6, columns: 3, rows: 2, likelihood: 0.4 };

describe("a map of text", () => {
  it("keeps lines apart that faint cells join", () => {
    const lines = linesOf([FIRST, SECOND, BRIDGE], { faint: 0.3 });
    expect(lines.map(boundsInPixels)).toEqual([
      [16, 16, 96, 24],
      [16, 32, 96, 40],
    ]);
    expect(lines.map(({ confidence }) => confidence)).toEqual([
      expect.closeTo(0.95, 5),
      expect.closeTo(0.85, 5),
    ]);
  });

  it("finds a faint line, where faint cells count", () => {
    const faint = { ...SECOND, row: 20, likelihood: 0.4 };
    expect(linesOf([FIRST, faint]).map(boundsInPixels)).toEqual([[16, 16, 96, 24]]);
    expect(linesOf([FIRST, faint], { faint: 0.3 }).map(boundsInPixels)).toEqual([
      [16, 16, 96, 24],
      [16, 80, 96, 88],
    ]);
  });

  it("finds the faint end of a line beside its likely part", () => {
    const end = { ...FIRST, column: 24, columns: 10, likelihood: 0.4 };
    // The cell beside the likely part belongs to its edge.
    expect(linesOf([FIRST, end], { faint: 0.3 }).map(boundsInPixels)).toEqual([
      [16, 16, 96, 24],
      [100, 16, 136, 24],
    ]);
  });

  it("moves lines by what the map is off", () => {
    expect(linesOf([FIRST], { shift: 1 }).map(boundsInPixels)).toEqual([[15, 15, 95, 23]]);
  });
});
