/** A 5×7 typeface and lines of text in it, which an attacker can also draw. */
const GLYPHS: Readonly<Record<string, readonly string[]>> = {
  "0": ["01110", "10001", "10011", "10101", "11001", "10001", "01110"],
  "1": ["00100", "01100", "00100", "00100", "00100", "00100", "01110"],
  "2": ["01110", "10001", "00001", "00010", "00100", "01000", "11111"],
  "3": ["11111", "00010", "00100", "00010", "00001", "10001", "01110"],
  "4": ["00010", "00110", "01010", "10010", "11111", "00010", "00010"],
  "5": ["11111", "10000", "11110", "00001", "00001", "10001", "01110"],
  "6": ["00110", "01000", "10000", "11110", "10001", "10001", "01110"],
  "7": ["11111", "00001", "00010", "00100", "01000", "01000", "01000"],
  "8": ["01110", "10001", "10001", "01110", "10001", "10001", "01110"],
  "9": ["01110", "10001", "10001", "01111", "00001", "00010", "01100"],
};

export const ALPHABET = Object.keys(GLYPHS);
const CELL_COLUMNS = 6;
const ROWS = 7;

export interface TextPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** The line's own box in pixels, as a detector would report it. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

const BLACK_ON_WHITE = { ink: [20, 20, 40], ground: [255, 255, 255] } as const;

/** Draws text as RGBA, dark on bright by default. `scale` is the size of a font pixel. */
export function drawText(
  text: string,
  place: { x: number; y: number; scale: number },
  { ink, ground }: { ink: readonly number[]; ground: readonly number[] } = BLACK_ON_WHITE,
): TextPicture {
  const { x, y, scale } = place;
  const box = { x, y, width: (text.length * CELL_COLUMNS - 1) * scale, height: ROWS * scale };
  const width = x * 2 + box.width;
  const height = y * 2 + box.height;
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let at = 0; at < data.length; at += 4) data.set(ground, at);
  for (const [index, character] of Array.from(text).entries()) {
    for (const [row, bits] of (GLYPHS[character] ?? []).entries()) {
      for (const [column, bit] of Array.from(bits).entries()) {
        if (bit === "0") continue;
        for (let dy = 0; dy < scale; dy++) {
          const left = x + (index * CELL_COLUMNS + column) * scale;
          const at = ((y + row * scale + dy) * width + left) * 4;
          for (let dx = 0; dx < scale; dx++) data.set(ink, at + dx * 4);
        }
      }
    }
  }
  return { data, width, height, box };
}
