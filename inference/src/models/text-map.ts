import { boundsOf, clipPointToUnit } from "../geometry/box.ts";
import type { Point } from "../geometry/box.ts";
import type { Category } from "../categories.ts";
import { cornersOf, leastRectangle } from "../geometry/rectangle.ts";
import type { RotatedRectangle } from "../geometry/rectangle.ts";
import { fromView, inputSizeOf } from "../images/view.ts";
import type { View } from "../images/view.ts";
import type { Detection } from "../pipeline/detection.ts";
import type { Manifest } from "./manifest.ts";
import type { DbTextOutputs, TextOutput } from "./outputs.ts";

interface Size {
  width: number;
  height: number;
}

/** How a map of the cores of text lines is read. */
export interface TextMap {
  category: Category;
  stride: number;
  cellThreshold: number;
  minCells: number;
  /** By how many pixels a core's rectangle grows on each side to hold its line. */
  marginOf: (core: RotatedRectangle) => number;
}

/** The map of a `dense_ltrb` network: cores are shrunk by a share of the line's height. */
export function textMapOf(output: TextOutput): TextMap {
  const halfCell = output.stride / 2;
  return {
    category: output.category,
    stride: output.stride,
    cellThreshold: output.cell_threshold,
    minCells: output.min_cells,
    marginOf: ({ width, height }) => {
      const coreHeight = Math.max(halfCell, Math.min(width, height) - halfCell);
      return Math.max(output.min_growth_pixels, output.growth * coreHeight);
    },
  };
}

/** The map of PaddleOCR's DBNet: cores are shrunk by the Vatti clipping of the DB paper, area · r / perimeter. */
export function dbTextMapOf(output: DbTextOutputs): TextMap {
  return {
    category: output.category,
    stride: 1,
    cellThreshold: output.cell_threshold,
    minCells: output.min_cells,
    marginOf: ({ width, height }) => (width * height * output.unclip_ratio) / (2 * (width + height)),
  };
}

interface Component {
  cells: number;
  sum: number;
  /** First and last column of each row, by row. */
  rows: Map<number, [first: number, last: number]>;
}

/**
 * Reads a text map: cells that touch make a component, a component a rectangle at its own angle, and the rectangle grows
 * from the line's core to the line (after "Real-time Scene Text Detection with Differentiable Binarization", Liao et al. 2020).
 * @param map [1, height / stride, width / stride] of the padded view.
 * @returns Lines as polygons in 0…1 of the picture; confidence is the component's mean.
 */
export function decodeText(
  map: Float32Array,
  manifest: { input: Pick<Manifest["input"], "size_multiple"> },
  output: TextMap,
  view: View,
  picture: Size,
  threshold: number,
): Detection[] {
  const columns = inputSizeOf(view, manifest.input.size_multiple).width / output.stride;
  const usedColumns = Math.min(columns, Math.ceil(view.scaledWidth / output.stride));
  const usedRows = Math.ceil(view.scaledHeight / output.stride);
  const from = fromView(view);
  const found: Detection[] = [];
  for (const component of componentsOf(
    map,
    columns,
    { width: usedColumns, height: usedRows },
    output.cellThreshold,
  )) {
    const confidence = component.sum / component.cells;
    if (component.cells < output.minCells || confidence < threshold) continue;
    const polygon = lineOf(component, output).map(([x, y]) =>
      clipPointToUnit([from.x(x) / picture.width, from.y(y) / picture.height]),
    );
    found.push({
      category: output.category,
      confidence: Math.min(1, confidence),
      box: boundsOf(polygon),
      polygon,
    });
  }
  return found;
}

const lineOf = ({ rows }: Component, output: TextMap): Point[] => {
  const points: Point[] = [];
  for (const [row, [first, last]] of rows) {
    points.push([first, row], [last + 1, row], [first, row + 1], [last + 1, row + 1]);
  }
  const scaled = points.map(([x, y]): Point => [x * output.stride, y * output.stride]);
  const rectangle = leastRectangle(scaled);
  return cornersOf(rectangle, output.marginOf(rectangle));
};

/** Components of cells over the threshold that touch at a side or a corner. */
const componentsOf = (map: Float32Array, columns: number, used: Size, threshold: number): Component[] => {
  const isSeen = new Uint8Array(columns * used.height);
  const components: Component[] = [];
  for (let y = 0; y < used.height; y += 1) {
    for (let x = 0; x < used.width; x += 1) {
      const start = y * columns + x;
      if (isSeen[start] === 1 || (map[start] ?? 0) <= threshold) continue;
      isSeen[start] = 1;
      const component: Component = { cells: 0, sum: 0, rows: new Map() };
      const stack = [start];
      for (let cell = stack.pop(); cell !== undefined; cell = stack.pop()) {
        addCell(component, cell % columns, Math.floor(cell / columns), map[cell] ?? 0);
        for (const next of neighboursOf(cell, columns, used)) {
          if (isSeen[next] === 1 || (map[next] ?? 0) <= threshold) continue;
          isSeen[next] = 1;
          stack.push(next);
        }
      }
      components.push(component);
    }
  }
  return components;
};

const addCell = (component: Component, x: number, y: number, value: number): void => {
  component.cells += 1;
  component.sum += value;
  const row = component.rows.get(y);
  if (row === undefined) {
    component.rows.set(y, [x, x]);
    return;
  }
  row[0] = Math.min(row[0], x);
  row[1] = Math.max(row[1], x);
};

const neighboursOf = (cell: number, columns: number, used: Size): number[] => {
  const x = cell % columns;
  const y = Math.floor(cell / columns);
  const neighbours: number[] = [];
  for (let row = Math.max(0, y - 1); row <= Math.min(used.height - 1, y + 1); row += 1) {
    for (let column = Math.max(0, x - 1); column <= Math.min(used.width - 1, x + 1); column += 1) {
      neighbours.push(row * columns + column);
    }
  }
  return neighbours;
};
