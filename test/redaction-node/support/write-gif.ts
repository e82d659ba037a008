import { concatBytes, textBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";

type Color = readonly [number, number, number];

/** A picture of a GIF, by the indices of its pixels, row by row. */
export interface GifPicture {
  readonly rows: readonly (readonly number[])[];
  readonly left?: number;
  readonly top?: number;
  /** In hundredths of a second. Without it, there is no graphic control extension. */
  readonly delay?: number;
  readonly disposal?: number;
  readonly transparent?: number;
  readonly palette?: readonly Color[];
  readonly isInterlaced?: boolean;
}

/** A GIF (GIF89a) with a global palette of up to 16 colors, a loop block and a comment. */
export function writeGif(
  pictures: readonly GifPicture[],
  options: {
    readonly width: number;
    readonly height: number;
    readonly palette: readonly Color[];
    readonly comment?: string;
  },
): Uint8Array<ArrayBuffer> {
  const { width, height, palette, comment = "" } = options;
  const parts = [
    textBytes("GIF89a"),
    u16(width, height),
    Uint8Array.of(0x83, 0, 0),
    tableOf(palette),
    Uint8Array.of(0x21, 0xff, 11),
    textBytes("NETSCAPE2.0"),
    Uint8Array.of(3, 1, 0, 0, 0),
    ...(comment === ""
      ? []
      : [Uint8Array.of(0x21, 0xfe, comment.length), textBytes(comment), Uint8Array.of(0)]),
    ...pictures.flatMap(pictureParts),
    Uint8Array.of(0x3b),
  ];
  return Uint8Array.from(concatBytes(parts));
}

const TABLE_COLORS = 16;
const SYMBOL_BITS = 4;

function pictureParts(picture: GifPicture): Uint8Array[] {
  const {
    rows,
    left = 0,
    top = 0,
    delay,
    disposal = 0,
    transparent,
    palette,
    isInterlaced = false,
  } = picture;
  const control =
    delay === undefined
      ? []
      : [
          Uint8Array.of(0x21, 0xf9, 4, (disposal << 2) | (transparent === undefined ? 0 : 1)),
          u16(delay),
          Uint8Array.of(transparent ?? 0, 0),
        ];
  const flags = (palette === undefined ? 0 : 0x83) | (isInterlaced ? 0x40 : 0);
  return [
    ...control,
    Uint8Array.of(0x2c),
    u16(left, top, rows[0]?.length ?? 0, rows.length),
    Uint8Array.of(flags),
    ...(palette === undefined ? [] : [tableOf(palette)]),
    Uint8Array.of(SYMBOL_BITS),
    ...blocksOf(packed((isInterlaced ? interlaced(rows) : rows).flat())),
  ];
}

function tableOf(palette: readonly Color[]): Uint8Array {
  return Uint8Array.from({ length: TABLE_COLORS * 3 }, (_, at) => palette[Math.floor(at / 3)]?.[at % 3] ?? 0);
}

function interlaced(rows: readonly (readonly number[])[]): (readonly number[])[] {
  const order = [0, 4, 2, 1].flatMap((first, pass) => {
    const step = [8, 8, 4, 2][pass] ?? 8;
    return rows.filter((_, y) => y % step === first);
  });
  return order;
}

/** LZW without codes for several symbols, with a clear code before the codes would become wider (GIF89a, appendix F). */
function packed(symbols: readonly number[]): Uint8Array {
  const [clear, end, bits] = [16, 17, 5];
  const codes: number[] = [];
  for (const [index, symbol] of symbols.entries()) {
    if (index % 12 === 0) codes.push(clear);
    codes.push(symbol);
  }
  const out: number[] = [];
  let held = 0;
  let count = 0;
  for (const code of [...codes, end]) {
    held |= code << count;
    for (count += bits; count >= 8; count -= 8, held >>= 8) out.push(held & 255);
  }
  return Uint8Array.from(count > 0 ? [...out, held & 255] : out);
}

function blocksOf(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.subarray(at, at + 255);
    blocks.push(Uint8Array.of(block.length), block);
  }
  return [...blocks, Uint8Array.of(0)];
}

function u16(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value & 255, value >> 8]));
}
