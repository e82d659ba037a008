/** A map of probabilities in row-major order. `width` and `height` are the part of it that is read. */
export interface CellMap {
  readonly values: Float32Array;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

/** Cells that touch at a side or a corner, as indices in the map. */
export type Component = readonly number[];

/** How likely a cell must be to belong to a component, and how many cells a component needs. */
export interface ComponentRules {
  readonly cellThreshold: number;
  /** Threshold for faint cells. They make components separate from those of likely cells; otherwise close lines would merge. */
  readonly faintCellThreshold: number;
  readonly minCells: number;
}

/** Components of likely cells, followed by components of faint cells that touch none of them. */
export function componentsOf(map: CellMap, rules: ComponentRules): Component[] {
  const likely = findConnected(map, rules.cellThreshold).filter((cells) => cells.length >= rules.minCells);
  if (rules.faintCellThreshold >= rules.cellThreshold) return likely;
  const rest = { ...map, values: map.values.slice(0, map.columns * map.height) };
  for (const cells of likely) {
    for (const cell of cells) for (const beside of neighboursOf(cell, map)) rest.values[beside] = 0;
  }
  return [
    ...likely,
    ...findConnected(rest, rules.faintCellThreshold).filter((cells) => cells.length >= rules.minCells),
  ];
}

function findConnected(map: CellMap, threshold: number): number[][] {
  const isSeen = new Uint8Array(map.columns * map.height);
  const components: number[][] = [];
  for (let y = 0; y < map.height; y += 1) {
    for (let x = 0; x < map.width; x += 1) {
      const start = y * map.columns + x;
      if (isSeen[start] === 1 || (map.values[start] ?? 0) <= threshold) continue;
      isSeen[start] = 1;
      const cells = [start];
      for (const cell of cells) {
        for (const next of neighboursOf(cell, map)) {
          if (isSeen[next] === 1 || (map.values[next] ?? 0) <= threshold) continue;
          isSeen[next] = 1;
          cells.push(next);
        }
      }
      components.push(cells);
    }
  }
  return components;
}

function neighboursOf(cell: number, { columns, width, height }: CellMap): number[] {
  const x = cell % columns;
  const y = Math.floor(cell / columns);
  const neighbours: number[] = [];
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1) {
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
      neighbours.push(row * columns + column);
    }
  }
  return neighbours;
}
