import { boundsOf, clipPointToUnit, type Point } from "../geometry/box.ts";
import type { Category } from "../detections/categories.ts";
import { cornersOf, leastRectangle, type RotatedRectangle } from "../geometry/rectangle.ts";
import { fromView, inputSizeOf, type View } from "../images/view.ts";
import type { Detection } from "../detections/detection.ts";
import { componentsOf, type Component, type ComponentRules } from "./text-components.ts";
import type { DbTextOutputs, TextOutput } from "./adapters/outputs.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How to read a map of the cores of text lines. */
export interface TextMap extends ComponentRules {
  readonly category: Category;
  readonly stride: number;
  /** How many pixels right of and below their cores components lie. */
  readonly shift: number;
  /** How many pixels a core's rectangle grows on each side to cover its line. */
  readonly marginOf: (core: RotatedRectangle) => number;
}

/** The map of a `dense_ltrb` network. Its cores are shrunk by a share of the line's height. */
export function textMapOf(output: TextOutput): TextMap {
  const halfCell = output.stride / 2;
  return {
    category: output.category,
    stride: output.stride,
    cellThreshold: output.cell_threshold,
    faintCellThreshold: output.faint_cell_threshold ?? output.cell_threshold,
    minCells: output.min_cells,
    shift: output.shift_pixels,
    marginOf: ({ width, height }) => {
      const coreHeight = Math.max(halfCell, Math.min(width, height) - halfCell);
      return Math.max(output.min_growth_pixels, output.growth * coreHeight);
    },
  };
}

/** The map of PaddleOCR's DBNet. Its cores are shrunk by the Vatti clipping of the DB paper, area · r / perimeter. */
export function dbTextMapOf(output: DbTextOutputs): TextMap {
  return {
    category: output.category,
    stride: 1,
    cellThreshold: output.cell_threshold,
    faintCellThreshold: output.cell_threshold,
    minCells: output.min_cells,
    shift: 0,
    marginOf: ({ width, height }) => (width * height * output.unclip_ratio) / (2 * (width + height)),
  };
}

interface TextReading {
  /** The sides of the network's input are multiples of this, in pixels. */
  readonly sizeMultiple: number;
  readonly view: View;
  readonly picture: Size;
  /** Least confidence of a line. */
  readonly threshold: number;
}

/**
 * Reads a text map. Cells that touch form a component, and each component becomes a rectangle at its own angle. The rectangle
 * grows from the line's core to the whole line (after "Real-time Scene Text Detection with Differentiable Binarization", Liao
 * et al. 2020).
 * @param map [1, height / stride, width / stride] of the padded view.
 * @returns Lines as polygons in 0…1 of the picture. The confidence is the mean of the component's cells.
 */
export function decodeText(
  map: Float32Array,
  output: TextMap,
  { sizeMultiple, view, picture, threshold }: TextReading,
): Detection[] {
  const columns = inputSizeOf(view, sizeMultiple).width / output.stride;
  const usedColumns = Math.min(columns, Math.ceil(view.scaledWidth / output.stride));
  const usedRows = Math.ceil(view.scaledHeight / output.stride);
  const from = fromView(view);
  const found: Detection[] = [];
  const cells = { values: map, columns, width: usedColumns, height: usedRows };
  for (const component of componentsOf(cells, output)) {
    const confidence = component.reduce((sum, cell) => sum + (map[cell] ?? 0), 0) / component.length;
    if (confidence < threshold) continue;
    const polygon = lineOf(component, columns, output).map(([x, y]) =>
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

function lineOf(component: Component, columns: number, output: TextMap): Point[] {
  const rows = new Map<number, [first: number, last: number]>();
  for (const cell of component) {
    const x = cell % columns;
    const y = Math.floor(cell / columns);
    const [first, last] = rows.get(y) ?? [x, x];
    rows.set(y, [Math.min(first, x), Math.max(last, x)]);
  }
  const points: Point[] = [];
  for (const [row, [first, last]] of rows) {
    points.push([first, row], [last + 1, row], [first, row + 1], [last + 1, row + 1]);
  }
  const scaled = points.map(([x, y]): Point => [
    x * output.stride - output.shift,
    y * output.stride - output.shift,
  ]);
  const rectangle = leastRectangle(scaled);
  return cornersOf(rectangle, output.marginOf(rectangle));
}
