import type { Random } from "../../support/random.ts";

const SIXTEEN_ZEROS = 0xf0;
const AC_SYMBOLS = [SIXTEEN_ZEROS, 0, 1, 2, 3, 0x11, 0x21, 0xf1, 0xe1, 0x71, 0x0a, 0xfa, 0x10, 0xe0, 0xff];
const SHORTEST_AC = [[SIXTEEN_ZEROS], [SIXTEEN_ZEROS, 0], [0], [1, 0], [0xf1, SIXTEEN_ZEROS], [0xe0], []];
const DC_SYMBOLS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 255];
const SHORTEST_DC = [[0], [1], [0, 1], []];

/** A segment of a JPEG (T.81, B.1.1.4). */
function segment(marker: number, payload: readonly number[]): number[] {
  const length = payload.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...payload];
}

/** A Huffman table whose shortest codes mean what encoders seldom write (T.81, B.2.4.2). */
function hostileTable(random: Random, isAc: boolean): number[] {
  const symbols = [...random.pick(isAc ? SHORTEST_AC : SHORTEST_DC)];
  for (let left = random.pick([1, 3, 12, 120]); left > 0; left--)
    symbols.push(
      random.next() < 0.5 ? random.pick(isAc ? AC_SYMBOLS : DC_SYMBOLS) : random.int(0, isAc ? 255 : 11),
    );
  const counts: number[] = [];
  let left = symbols.length;
  let free = 2;
  for (let length = 1; length <= 16; length++) {
    const most = Math.min(left, free - (length === 16 ? 0 : 1));
    // What is left must fit into the longer codes.
    const least = Math.max(0, left - (free - most) * 2 ** (16 - length));
    const count = length === 16 ? most : Math.min(most, Math.max(least, random.int(0, Math.min(2, most))));
    counts.push(count);
    left -= count;
    free = (free - count) * 2;
  }
  return [...counts, ...symbols.slice(0, symbols.length - left)];
}

/** Entropy-coded bytes with many ones, many zeros, or neither, and some restart markers. */
function hostileBits(random: Random): number[] {
  const style = random.int(0, 3);
  const bytes: number[] = [];
  let restarts = 0;
  for (let left = random.pick([5, 100, 2000, 8000]); left > 0; left--) {
    const [first, second] = [random.int(0, 255), random.int(0, 255)];
    const byte = [first, first & second, first | second, random.next() < 0.8 ? 0 : first][style] ?? 0;
    bytes.push(byte);
    if (byte === 255) bytes.push(0);
    if (random.next() < 0.0005) bytes.push(255, 0xd0 + (restarts++ & 7));
  }
  return bytes;
}

/** A JPEG with a valid structure whose tables and bits no encoder would write: sequential or progressive, gray or in color. */
export function hostileJpeg(random: Random): Uint8Array {
  const isProgressive = random.next() < 0.4;
  const components = random.pick([1, 1, 3]);
  const [width, height] = [random.int(1, 200), random.int(1, 160)];
  const factor = random.pick([0x11, 0x21, 0x22]);
  const tables = (): number[] =>
    [0, 1].flatMap((index) =>
      segment(0xc4, [index, ...hostileTable(random, false)]).concat(
        segment(0xc4, [0x10 | index, ...hostileTable(random, true)]),
      ),
    );
  const scan = (indexes: readonly number[], spectrum: readonly number[]): number[] => [
    ...segment(0xda, [
      indexes.length,
      ...indexes.flatMap((index) => [index + 1, random.pick([0, 0x11, 0x10, 0x01])]),
      ...spectrum,
    ]),
    ...hostileBits(random),
    ...(random.next() < 0.2 ? tables() : []),
  ];
  const all = Array.from({ length: components }, (_none, index) => index);
  const scans = isProgressive
    ? [
        scan(all, [0, 0, 1]),
        ...all.flatMap((index) => [scan([index], [1, 63, 1]), scan([index], [1, 63, 0x10])]),
      ]
    : [random.next() < 0.6 ? scan(all, [0, 63, 0]) : all.flatMap((index) => scan([index], [0, 63, 0]))];
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, () => random.int(1, 40))]),
    ...segment(isProgressive ? 0xc2 : 0xc0, [
      8,
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      components,
      ...all.flatMap((index) => [index + 1, index === 0 ? factor : 0x11, 0]),
    ]),
    ...tables(),
    ...(random.next() < 0.3 ? segment(0xdd, [0, random.pick([1, 2, 5])]) : []),
    ...scans.flat(),
    0xff,
    0xd9,
  ]);
}

const ZEROS = "0";
const END = "10";
const FIVE_BITS = "110";

function bitsOf(value: number, size: number): string {
  return (value < 0 ? value + 2 ** size - 1 : value).toString(2).padStart(size, "0");
}

function rowOf(block: (column: number) => string): string {
  return Array.from({ length: 16 }, (_none, column) => block(column)).join("");
}

/** How many codes a table has of each length from 1 on. */
function lengths(...first: number[]): number[] {
  return [...first, ...Array.from({ length: 16 - first.length }, () => 0)];
}

/**
 * A gray JPEG of 16×16 blocks. The blocks of one row hold eight codes of one bit, each of which passes sixteen coefficients: twice as
 * many as a block has. A decoder reads each of them as two blocks.
 */
export function manyZerosJpeg(): Uint8Array {
  let last = 0;
  const dc = (value: number): string => {
    const difference = value - last;
    last = value;
    return difference === 0 ? "0" : `10${bitsOf(difference, 6)}`;
  };
  const block = (value: number, ac: number, runs: number): string =>
    dc(value) + FIVE_BITS + bitsOf(ac, 5) + ZEROS.repeat(runs) + END;
  let bits = rowOf((column) => (column < 8 ? block(column % 2 === 0 ? 0 : 40, 20, 3) : dc(0) + END));
  for (let index = 1; index < 11; index++)
    bits += rowOf((column) => block(0, column % 2 === 0 ? -20 : 20, 3));
  bits += rowOf(() => dc(0) + ZEROS.repeat(8) + END);
  bits += rowOf(() => dc(0) + END);
  bits += rowOf((column) => block(column % 2 === 0 ? 50 : 0, [31, -31, 16, -16][column % 4] ?? 16, 2));
  bits += rowOf(() => dc(0) + END);
  bits += "1".repeat(-bits.length & 7);
  const bytes = Array.from({ length: bits.length / 8 }, (_none, at) =>
    Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
  );
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xdb, [0, ...Array.from({ length: 64 }, () => 8)]),
    ...segment(0xc0, [8, 0, 128, 0, 128, 1, 1, 0x11, 0]),
    ...segment(0xc4, [0, ...lengths(1, 1), 0, 6]),
    ...segment(0xc4, [0x10, ...lengths(1, 1, 1), SIXTEEN_ZEROS, 0, 5]),
    ...segment(0xda, [1, 1, 0, 0, 63, 0]),
    ...bytes.flatMap((byte) => (byte === 255 ? [255, 0] : [byte])),
    0xff,
    0xd9,
  ]);
}
