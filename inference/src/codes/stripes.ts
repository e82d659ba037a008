import type { Point } from "../geometry/box.ts";
import { rectangleAlong } from "../geometry/rectangle.ts";
import type { GreyPicture } from "../images/grey.ts";

/** A region full of parallel bars, in pixels of the picture. The angle is the direction across the bars, in (−90°, 90°]. */
export interface StripedRegion {
  readonly centre: Point;
  readonly angleRadians: number;
  /** Size across the bars, in the reading direction. */
  readonly length: number;
  /** Size along the bars. */
  readonly breadth: number;
}

const BLOCK = 16;
/** Least mean square of brightness steps. Weaker bars are unreadable anyway. */
const LEAST_ENERGY = 60;
/** Least share of the steps' energy that must lie in one direction. */
const LEAST_COHERENCE = 0.4;
/** Most imbalance between rising and falling steps. An edge goes one way; bars go both ways. */
const MOST_IMBALANCE = 0.5;
const MOST_TURN_RADIANS = Math.PI / 12;
const LEAST_BLOCKS = 3;

interface Block {
  readonly column: number;
  readonly row: number;
  readonly angleRadians: number;
  readonly energy: number;
}

/**
 * Finds regions that look like the bars of a code, by the structure tensor of blocks (Bigün and Granlund 1987). The reader
 * scans along rows and columns and misses bars at an angle.
 * @returns At most `limit` regions, the largest first.
 */
export function findStripes(picture: GreyPicture, limit: number): StripedRegion[] {
  const columns = Math.floor(picture.width / BLOCK);
  const rows = Math.floor(picture.height / BLOCK);
  const blocks = new Map<number, Block>();
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const block = stripedBlock(picture, column, row);
      if (block) blocks.set(row * columns + column, block);
    }
  }
  return groupsOf(blocks, columns)
    .filter((group) => group.length >= LEAST_BLOCKS)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, limit)
    .map(regionOf);
}

function stripedBlock(
  { pixels, width, height }: GreyPicture,
  column: number,
  row: number,
): Block | undefined {
  let [xx, yy, xy] = [0, 0, 0];
  const left = Math.max(1, column * BLOCK);
  const right = Math.min(width - 1, (column + 1) * BLOCK);
  const top = Math.max(1, row * BLOCK);
  const bottom = Math.min(height - 1, (row + 1) * BLOCK);
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * width + left; at < y * width + right; at += 1) {
      const dx = (pixels[at + 1] ?? 0) - (pixels[at - 1] ?? 0);
      const dy = (pixels[at + width] ?? 0) - (pixels[at - width] ?? 0);
      xx += dx * dx;
      yy += dy * dy;
      xy += dx * dy;
    }
  }
  const energy = (xx + yy) / (4 * (right - left) * (bottom - top));
  if (energy < LEAST_ENERGY || Math.hypot(xx - yy, 2 * xy) < LEAST_COHERENCE * (xx + yy)) return undefined;
  const angleRadians = Math.atan2(2 * xy, xx - yy) / 2;
  const [alongX, alongY] = [Math.cos(angleRadians), Math.sin(angleRadians)];
  let [sum, sumOfSizes] = [0, 0];
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * width + left; at < y * width + right; at += 1) {
      const step =
        ((pixels[at + 1] ?? 0) - (pixels[at - 1] ?? 0)) * alongX +
        ((pixels[at + width] ?? 0) - (pixels[at - width] ?? 0)) * alongY;
      sum += step;
      sumOfSizes += Math.abs(step);
    }
  }
  if (Math.abs(sum) > MOST_IMBALANCE * sumOfSizes) return undefined;
  return { column, row, angleRadians, energy };
}

/** Angle between two directions of bars, in radians. Directions have no sign. */
function turnBetween(a: number, b: number): number {
  const difference = Math.abs(a - b) % Math.PI;
  return Math.min(difference, Math.PI - difference);
}

function groupsOf(blocks: Map<number, Block>, columns: number): Block[][] {
  const groups: Block[][] = [];
  for (const [start, first] of blocks) {
    blocks.delete(start);
    const group = [first];
    for (const block of group) {
      for (const [right, down] of NEIGHBOURS) {
        const column = block.column + right;
        const key = (block.row + down) * columns + column;
        const next = column >= 0 && column < columns ? blocks.get(key) : undefined;
        if (next === undefined || turnBetween(next.angleRadians, block.angleRadians) > MOST_TURN_RADIANS)
          continue;
        blocks.delete(key);
        group.push(next);
      }
    }
    groups.push(group);
  }
  return groups;
}

/** A block that is two blocks away still counts: a wide bar or space can fill the block between. */
const REACH = [-2, -1, 0, 1, 2];
const NEIGHBOURS = REACH.flatMap((right) => REACH.map((down) => [right, down] as const));

function regionOf(group: readonly Block[]): StripedRegion {
  let [cosine, sine] = [0, 0];
  for (const { angleRadians, energy } of group) {
    cosine += energy * Math.cos(2 * angleRadians);
    sine += energy * Math.sin(2 * angleRadians);
  }
  const angleRadians = Math.atan2(sine, cosine) / 2;
  const [x, y] = [Math.cos(angleRadians), Math.sin(angleRadians)];
  const middles = group.map(({ column, row }): Point => [(column + 0.5) * BLOCK, (row + 0.5) * BLOCK]);
  const { centre, width, height } = rectangleAlong(middles, [x, y]);
  return {
    centre,
    angleRadians,
    length: width + BLOCK,
    breadth: height + BLOCK,
  };
}
