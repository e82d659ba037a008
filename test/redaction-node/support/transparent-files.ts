import sharp from "sharp";
import { Random } from "../../support/random.ts";
import { pngChunk, type PngKind, SAMPLES } from "./png-file.ts";
import { writePng } from "./random-png.ts";

/** Pictures whose left part is visible, whose middle is under a region, and whose right part is fully transparent. */
export const SIZE = { width: 56, height: 44 } as const;
const MASKED = { left: 8, top: 6, right: 40, bottom: 38 } as const;
const CLEAR_FROM = 44;

/** The region that {@link placeOf} calls masked, in 0…1. */
export const MASKED_BOX = [
  MASKED.left / SIZE.width,
  MASKED.top / SIZE.height,
  (MASKED.right - MASKED.left) / SIZE.width,
  (MASKED.bottom - MASKED.top) / SIZE.height,
] as const;

/** What happens to a pixel: it stays, it is masked, or it is invisible. */
export function placeOf(x: number, y: number): "seen" | "masked" | "clear" {
  if (x >= CLEAR_FROM) return "clear";
  const isMasked = x >= MASKED.left && x < MASKED.right && y >= MASKED.top && y < MASKED.bottom;
  return isMasked ? "masked" : "seen";
}

/** The alpha of the pixels under the region. `picture` means one color with the picture drawn in alpha. */
export const ALPHA_KINDS = [0, 1, 8, 255, "picture"] as const;
export type AlphaKind = (typeof ALPHA_KINDS)[number];

/** Red, green, blue and alpha of a pixel in 8-bit levels. */
type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

/** The colors of every pixel, row by row. Masked and clear pixels depend on the secret; visible ones do not. */
export function drawSecret(secret: number, alphaKind: AlphaKind): Rgba[] {
  const random = new Random(secret);
  return Array.from({ length: SIZE.width * SIZE.height }, (_, index): Rgba => {
    const [x, y] = [index % SIZE.width, Math.floor(index / SIZE.width)];
    const [a, b, c] = [random.int(0, 255), random.int(0, 255), random.int(0, 255)] as const;
    const place = placeOf(x, y);
    if (place === "seen") return [(3 * x) & 255, (5 * y) & 255, 90, y % 8 === 0 ? 200 : 255];
    if (place === "clear") return [a, b, c, 0];
    return alphaKind === "picture" ? [128, 128, 128, a] : [a, b, c, alphaKind];
  });
}

/** A PNG of those colors. Without an alpha channel, the palette or one transparent color holds the alpha. */
export async function transparentPng(kind: PngKind, pixels: readonly Rgba[]): Promise<Uint8Array> {
  const { extras, toSamples } = encodingOf(kind);
  const filters = pixels.slice(0, 512).map(([red]) => red % 5);
  return await writePng({ ...kind, ...SIZE, pixels: pixels.map(toSamples), extras, filters });
}

interface Encoding {
  readonly extras: readonly Uint8Array[];
  readonly toSamples: (pixel: Rgba) => readonly number[];
}

function encodingOf({ colourType, bitDepth }: PngKind): Encoding {
  const greatest = 2 ** bitDepth - 1;
  const scaled = (level: number): number => Math.round((level * greatest) / 255);
  if (colourType === 3) return paletteEncoding(2 ** bitDepth);
  const count = SAMPLES[colourType] ?? 1;
  if (colourType >= 4) {
    return {
      extras: [],
      toSamples: ([red, green, blue, alpha]) =>
        (count === 2 ? [green, alpha] : [red, green, blue, alpha]).map(scaled),
    };
  }
  return {
    extras: [pngChunk("tRNS", new Uint8Array(2 * count))],
    toSamples: ([red, green, blue, alpha]) =>
      [red, green, blue].slice(0, count).map((level) => (alpha < 128 ? 0 : Math.max(1, scaled(level)))),
  };
}

const PALETTE_ALPHAS = [255, 0, 8, 0] as const;

/** The palette alternates between opaque, transparent and nearly transparent entries. The choice among equal entries draws the picture. */
function paletteEncoding(entries: number): Encoding {
  const alphas = Array.from({ length: entries }, (_, index) => PALETTE_ALPHAS[index % 4] ?? 255);
  const colours = alphas.flatMap((_, index) => [(index * 37) & 255, (index * 91 + 40) & 255, 255 - index]);
  const indicesOf = (alpha: number): number[] =>
    [...alphas.keys()].filter((index) => alphas[index] === alpha);
  const classes = [indicesOf(255), indicesOf(0), indicesOf(8)] as const;
  return {
    extras: [pngChunk("PLTE", Uint8Array.from(colours)), pngChunk("tRNS", Uint8Array.from(alphas))],
    toSamples: ([red, green, , alpha]) => {
      const near = alpha >= 128 ? classes[0] : alpha === 0 ? classes[1] : classes[2];
      const known = near.length === 0 ? classes[0] : near;
      return [known[(red + green) % known.length] ?? 0];
    },
  };
}

/** A WebP of those colors that keeps colors under alpha 0. */
export async function transparentWebp(pixels: readonly Rgba[], isLossless: boolean): Promise<Uint8Array> {
  const raw = { ...SIZE, channels: 4 } as const;
  const encoded = sharp(Uint8Array.from(pixels.flat()), { raw });
  const options = isLossless ? { lossless: true } : { quality: 95, alphaQuality: 100 };
  return new Uint8Array(await encoded.webp({ ...options, exact: true }).toBuffer());
}
