import type { Footprint } from "./footprint.ts";

/** Cells of one region in one frame. The grid moves with the region, and one cell is centered on it. */
export interface Grid {
  readonly cellPx: number;
  /** Left and top of the cell at column 0 and row 0, in pixels of the frame. */
  readonly originX: number;
  readonly originY: number;
  /** Columns and rows that the region touches, counted from the center cell, both ends inclusive. */
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

/** Lays a grid over a painted area, in pixels, with one cell centered on the area. */
export function gridOver(
  area: Pick<Footprint, "left" | "top" | "right" | "bottom" | "centreX" | "centreY">,
  cellPx: number,
): Grid {
  const originX = area.centreX - cellPx / 2;
  const originY = area.centreY - cellPx / 2;
  return {
    cellPx,
    originX,
    originY,
    firstColumn: Math.floor((area.left - originX) / cellPx),
    lastColumn: Math.ceil((area.right - originX) / cellPx) - 1,
    firstRow: Math.floor((area.top - originY) / cellPx),
    lastRow: Math.ceil((area.bottom - originY) / cellPx) - 1,
  };
}

/** How many columns and rows a grid has. */
export function gridSize(grid: Grid): { columns: number; rows: number } {
  return {
    columns: grid.lastColumn - grid.firstColumn + 1,
    rows: grid.lastRow - grid.firstRow + 1,
  };
}

/** Weighted sums of one plane over the cells of a grid, row by row. */
export interface PlaneSums {
  readonly sums: Float64Array;
  readonly weights: Float64Array;
}

/**
 * Sums a coarse plane over a grid's cells. A value across cell borders counts for each cell by the area they share, so that a
 * grid that moves by a fraction of a pixel changes its means only slightly.
 */
export function sumPlane(args: {
  plane: Uint8Array;
  planeWidth: number;
  planeHeight: number;
  frameWidth: number;
  frameHeight: number;
  grid: Grid;
  owns: (column: number, row: number) => boolean;
}): PlaneSums {
  const { plane, planeWidth, planeHeight, frameWidth, frameHeight, grid, owns } = args;
  const { columns, rows } = gridSize(grid);
  const sums = new Float64Array(columns * rows);
  const weights = new Float64Array(columns * rows);
  const across = sharesAlong(grid.cellPx, {
    valuePx: frameWidth / planeWidth,
    count: planeWidth,
    originPx: grid.originX,
    firstCell: grid.firstColumn,
    cells: columns,
  });
  const down = sharesAlong(grid.cellPx, {
    valuePx: frameHeight / planeHeight,
    count: planeHeight,
    originPx: grid.originY,
    firstCell: grid.firstRow,
    cells: rows,
  });
  for (const vertical of down) {
    for (const horizontal of across) {
      if (!owns(horizontal.value, vertical.value)) continue;
      const weight = horizontal.lengthPx * vertical.lengthPx;
      const cell = vertical.cell * columns + horizontal.cell;
      const value = plane[vertical.value * planeWidth + horizontal.value] as number;
      sums[cell] = (sums[cell] as number) + weight * value;
      weights[cell] = (weights[cell] as number) + weight;
    }
  }
  return { sums, weights };
}

interface Share {
  /** Column or row of the plane. */
  readonly value: number;
  /** Column or row of the grid, from 0. */
  readonly cell: number;
  readonly lengthPx: number;
}

interface GridAxis {
  /** Pixels that one value of the plane covers. */
  readonly valuePx: number;
  /** Number of values along this axis of the plane. */
  readonly count: number;
  readonly originPx: number;
  readonly firstCell: number;
  readonly cells: number;
}

/** Which values of a plane's row or column overlap which cells, and by how many pixels. */
function sharesAlong(cellPx: number, axis: GridAxis): Share[] {
  const { valuePx, count, originPx, firstCell, cells } = axis;
  const shares: Share[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const from = originPx + (firstCell + cell) * cellPx;
    const to = from + cellPx;
    const first = Math.max(0, Math.floor(from / valuePx));
    const end = Math.min(count, Math.ceil(to / valuePx));
    for (let value = first; value < end; value++) {
      const lengthPx = Math.min(to, (value + 1) * valuePx) - Math.max(from, value * valuePx);
      if (lengthPx > 0) shares.push({ value, cell, lengthPx });
    }
  }
  return shares;
}
