import type { JpegPicture, Plane, ScanStep } from "./jpeg-picture.ts";
import type { Random } from "../../support/random.ts";
import type { WriteOptions } from "./write-jpeg.ts";

/** Sampling factors by name. The first component has the largest ones, except in the last two. */
export const SAMPLINGS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  grey: [[1, 1]],
  "grey 2×2": [[2, 2]],
  "4:4:4": [
    [1, 1],
    [1, 1],
    [1, 1],
  ],
  "4:2:2": [
    [2, 1],
    [1, 1],
    [1, 1],
  ],
  "4:2:0": [
    [2, 2],
    [1, 1],
    [1, 1],
  ],
  "4:1:1": [
    [4, 1],
    [1, 1],
    [1, 1],
  ],
  "4:4:0": [
    [1, 2],
    [1, 1],
    [1, 1],
  ],
  "4:1:0": [
    [4, 2],
    [1, 1],
    [1, 1],
  ],
  CMYK: [
    [1, 1],
    [1, 1],
    [1, 1],
    [1, 1],
  ],
  YCCK: [
    [2, 2],
    [1, 1],
    [1, 1],
    [2, 2],
  ],
  thirds: [
    [3, 1],
    [1, 1],
    [1, 1],
  ],
  "three to two": [
    [3, 2],
    [2, 1],
    [1, 2],
  ],
};

/** A picture of random coefficients with smooth DC and sparse AC, and a random size by default. */
export function randomPicture(
  random: Random,
  args: { sampling: string; isProgressive: boolean; size?: { width: number; height: number } },
): JpegPicture {
  const factors = SAMPLINGS[args.sampling] ?? [];
  const width = args.size?.width ?? random.int(1, random.pick([8, 40, 200]));
  const height = args.size?.height ?? random.int(1, random.pick([8, 40, 200]));
  const h = Math.max(...factors.map(([horizontal]) => horizontal));
  const v = Math.max(...factors.map(([, vertical]) => vertical));
  const isWide = random.next() < 0.2;
  const quantSteps = [0, 1].map(() =>
    Uint16Array.from({ length: 64 }, () => random.int(1, isWide ? 600 : 40)),
  );
  const planes: Plane[] = factors.map(([horizontal, vertical], index) => {
    const columns = Math.ceil(width / (8 * h)) * horizontal;
    const rows = Math.ceil(height / (8 * v)) * vertical;
    const quantTable = index === 0 ? 0 : 1;
    const coefficients = new Int16Array(64 * columns * rows);
    const plane = { id: index + 1, horizontal, vertical, quantTable, columns, rows, coefficients };
    for (let block = 0; block < columns * rows; block++) fillBlock(random, plane, quantSteps, block);
    return plane;
  });
  return { width, height, isProgressive: args.isProgressive, planes, quantSteps };
}

function fillBlock(random: Random, plane: Plane, quantSteps: readonly Uint16Array[], block: number): void {
  const maxDc = Math.floor(1016 / (quantSteps[plane.quantTable]?.[0] ?? 1));
  plane.coefficients[block * 64] = random.int(-maxDc, maxDc);
  fillAc(random, plane, block);
}

/** Gives a block new AC coefficients. */
export function fillAc(random: Random, plane: Plane, block: number): void {
  const density = random.pick([0, 0.05, 0.3, 0.9]);
  const size = random.pick([1, 3, 60, 1000]);
  for (let k = 1; k < 64; k++) {
    plane.coefficients[block * 64 + k] = random.next() < density ? random.int(-size, size) : 0;
  }
}

/** Ways to write a picture that every decoder must follow. */
export function randomOptions(random: Random, picture: JpegPicture): WriteOptions {
  const all = picture.planes.map((_, index) => index);
  const sequential: readonly ScanStep[][] = [
    [{ planes: all, start: 0, end: 63, high: 0, low: 0 }],
    all.map((plane) => ({ planes: [plane], start: 0, end: 63, high: 0, low: 0 })),
  ];
  const blocks = picture.planes.reduce((sum, plane) => sum + plane.horizontal * plane.vertical, 0);
  const isInterleavable = blocks <= 10;
  return {
    restartInterval: random.pick([0, 0, 1, 3, 17]),
    fillBytes: random.pick([0, 0, 3]),
    isExtended: random.next() < 0.3,
    scans: picture.isProgressive
      ? progression(random, all, isInterleavable)
      : ((isInterleavable ? random.pick(sequential) : sequential[1]) ?? []),
  };
}

function progression(random: Random, all: readonly number[], isInterleavable: boolean): ScanStep[] {
  const dcLow = random.int(0, 2);
  const dcGroups = isInterleavable && random.next() < 0.7 ? [all] : all.map((plane) => [plane]);
  const steps: ScanStep[] = dcGroups.map((planes) => ({ planes, start: 0, end: 0, high: 0, low: dcLow }));
  const bands = random.pick([
    [[1, 63]],
    [
      [1, 5],
      [6, 63],
    ],
    [
      [1, 1],
      [2, 20],
      [21, 62],
      [63, 63],
    ],
  ]);
  for (const plane of all) {
    for (const [start = 1, end = 63] of bands) {
      const low = random.int(0, 3);
      for (let high = low + 1; high > 0; high--) {
        const isFirst = high === low + 1;
        steps.push({ planes: [plane], start, end, high: isFirst ? 0 : high, low: high - 1 });
      }
    }
  }
  for (let high = dcLow; high > 0; high--) {
    for (const planes of dcGroups) steps.push({ planes, start: 0, end: 0, high, low: high - 1 });
  }
  return steps;
}
