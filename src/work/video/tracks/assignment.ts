/** A possible pair: row and column of a cost matrix whose other entries are forbidden. */
export interface Candidate {
  readonly row: number;
  readonly column: number;
  /** Below 1, which is the cost of leaving both unpaired. */
  readonly cost: number;
}

/** In a connected component with more rows or columns than this, the cheapest pairs are chosen first. */
const MOST_EXACT = 160;

/**
 * Pairs rows with columns, each at most once, at the least total cost. An unpaired row or column costs 1.
 *
 * The candidates are split into connected components. Each is solved exactly (Kuhn 1955, Munkres 1957, in the shortest
 * augmenting path form of Jonker and Volgenant 1987, O(n³)), or greedily if it is larger than any real case.
 */
export function assign(candidates: readonly Candidate[]): Candidate[] {
  return tanglesOf(candidates).flatMap((tangle) => {
    const rows = [...new Set(tangle.map(({ row }) => row))].sort((a, b) => a - b);
    const columns = [...new Set(tangle.map(({ column }) => column))].sort((a, b) => a - b);
    if (tangle.length === 1) return tangle;
    if (Math.max(rows.length, columns.length) > MOST_EXACT) return cheapestFirst(tangle);
    return solve(tangle, rows, columns);
  });
}

/** Connected components, found by union–find over rows and columns. */
function tanglesOf(candidates: readonly Candidate[]): Candidate[][] {
  const parents = new Map<string, string>();
  const rootOf = (node: string): string => {
    let root = node;
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root)) root = up;
    parents.set(node, root);
    return root;
  };
  for (const { row, column } of candidates) parents.set(rootOf(`r${row}`), rootOf(`c${column}`));
  const tangles = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const root = rootOf(`r${candidate.row}`);
    const tangle = tangles.get(root);
    if (tangle === undefined) tangles.set(root, [candidate]);
    else tangle.push(candidate);
  }
  return [...tangles.values()];
}

function cheapestFirst(tangle: readonly Candidate[]): Candidate[] {
  const rows = new Set<number>();
  const columns = new Set<number>();
  const byCost = [...tangle].sort((a, b) => a.cost - b.cost || a.row - b.row || a.column - b.column);
  return byCost.filter(({ row, column }) => {
    if (rows.has(row) || columns.has(column)) return false;
    rows.add(row);
    columns.add(column);
    return true;
  });
}

/** Columns beyond the given ones mean "unpaired": one such column per row, at cost 1. */
function solve(
  tangle: readonly Candidate[],
  rows: readonly number[],
  columns: readonly number[],
): Candidate[] {
  const width = columns.length + rows.length;
  const costs = rows.map(() => new Float64Array(width).fill(1));
  const rowAt = new Map(rows.map((row, index) => [row, index]));
  const columnAt = new Map(columns.map((column, index) => [column, index]));
  const pairs = new Map<number, Candidate>();
  for (const candidate of tangle) {
    const row = rowAt.get(candidate.row) ?? 0;
    const column = columnAt.get(candidate.column) ?? 0;
    (costs[row] as Float64Array)[column] = candidate.cost;
    pairs.set(row * width + column, candidate);
  }
  return shortestPaths(costs, width).flatMap((column, row) => {
    const pair = pairs.get(row * width + column);
    return pair === undefined ? [] : [pair];
  });
}

/** Returns the column of each row. There must be at least as many columns as rows. */
function shortestPaths(costs: readonly Float64Array[], width: number): number[] {
  const rowPotentials = new Float64Array(costs.length + 1);
  const columnPotentials = new Float64Array(width + 1);
  const rowOfColumn = new Int32Array(width + 1);
  for (let row = 1; row <= costs.length; row++) {
    rowOfColumn[0] = row;
    const distances = new Float64Array(width + 1).fill(Infinity);
    const previous = new Int32Array(width + 1);
    const isDone = new Uint8Array(width + 1);
    let column = 0;
    do {
      isDone[column] = 1;
      const current = rowOfColumn[column] as number;
      const cost = costs[current - 1] as Float64Array;
      let nearest = Infinity;
      let next = 0;
      for (let other = 1; other <= width; other++) {
        if (isDone[other] === 1) continue;
        const reduced =
          (cost[other - 1] as number) -
          (rowPotentials[current] as number) -
          (columnPotentials[other] as number);
        if (reduced < (distances[other] as number)) {
          distances[other] = reduced;
          previous[other] = column;
        }
        if ((distances[other] as number) < nearest) {
          nearest = distances[other] as number;
          next = other;
        }
      }
      for (let other = 0; other <= width; other++) {
        if (isDone[other] === 1) {
          const owner = rowOfColumn[other] as number;
          rowPotentials[owner] = (rowPotentials[owner] as number) + nearest;
          columnPotentials[other] = (columnPotentials[other] as number) - nearest;
        } else {
          distances[other] = (distances[other] as number) - nearest;
        }
      }
      column = next;
    } while (rowOfColumn[column] !== 0);
    while (column !== 0) {
      const before = previous[column] as number;
      rowOfColumn[column] = rowOfColumn[before] as number;
      column = before;
    }
  }
  const columnOfRow: number[] = Array.from({ length: costs.length }, () => -1);
  for (let column = 1; column <= width; column++) {
    const row = rowOfColumn[column] as number;
    if (row > 0) columnOfRow[row - 1] = column - 1;
  }
  return columnOfRow;
}
