import sharp, { type Sharp } from "sharp";
import { concatBytes, textBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import type { ConvertedFormat } from "../../../src/ground/vocabulary/media-values.ts";
import { HEIC_TILE, HEIC_TILE_10_BIT } from "../../support/heic-tiles.ts";
import { writeBmp } from "./write-bmp.ts";
import { writeGrid } from "./write-heic.ts";
import { writeTiff } from "./write-tiff.ts";

export const SIDE = 64;
export const SECRET = "A secret place";

/** Options of a picture besides its pixels. */
interface Making {
  readonly isTurned?: boolean;
  readonly profile?: Uint8Array;
}

/** A picture of a format, and what a viewer shows of it. */
export interface FormatPicture {
  readonly name: string;
  readonly format: ConvertedFormat;
  readonly becomes: "jpeg" | "png";
  /** The file holds {@link SECRET} in addition to the picture. */
  readonly make: (making: Making) => Promise<Uint8Array>;
  /** What the format can hold in addition to pixels. */
  readonly holds: readonly ("turn" | "profile")[];
  /** Red, green, blue and alpha as stored. */
  readonly pixel: (x: number, y: number) => readonly number[];
  /** In decibels; Infinity if every pixel is unchanged. */
  readonly leastPsnr: number;
}

/** The picture in the tiles: one corner is blue, red increases to the right and green downward. */
export function sceneAt(x: number, y: number): [number, number, number] {
  const [column, row] = [x % SIDE, y % SIDE];
  return [column * 3 + 20, row * 3 + 30, column < 24 && row < 16 ? 230 : 60];
}

function opaque(x: number, y: number): number[] {
  return [...sceneAt(x, y), 255];
}

function luma([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return Math.round(0.299 * red + 0.587 * green + 0.114 * blue);
}

function grey(x: number, y: number): number[] {
  const level = luma(sceneAt(x, y));
  return [level, level, level, 255];
}

const PLACES = Array.from({ length: SIDE * SIDE }, (_, at) => [at % SIDE, Math.floor(at / SIDE)] as const);

function raster(samples: (x: number, y: number) => readonly number[]): Uint8Array {
  return Uint8Array.from(PLACES.flatMap(([x, y]) => samples(x, y)));
}

function drawn(channels: 1 | 3 | 4, samples: (x: number, y: number) => readonly number[]): Sharp {
  return sharp(raster(samples), { raw: { width: SIDE, height: SIDE, channels } });
}

function withSecret(bytes: Uint8Array): Uint8Array {
  return concatBytes([bytes, textBytes(SECRET)]);
}

/** A sharp picture with its options; the profile is sharp's Display P3. */
async function finish(picture: Sharp, { isTurned = false, profile }: Making): Promise<Uint8Array> {
  const described = picture
    .withMetadata(isTurned ? { orientation: 6 } : {})
    .withExif({ IFD0: { ImageDescription: SECRET, Copyright: SECRET } });
  if (profile !== undefined) described.withIccProfile("p3");
  return withSecret(new Uint8Array(await described.toBuffer()));
}

function heic(tile: Uint8Array, { isTurned = false, profile }: Making, hasAlpha = false): Uint8Array {
  const size = { columns: 1, rows: 1, width: SIDE, height: SIDE };
  return withSecret(
    writeGrid([tile], {
      ...size,
      hasAlpha,
      ...(isTurned && { turns: 3 }),
      ...(profile !== undefined && { profile }),
    }),
  );
}

const INDICES = Array.from({ length: SIDE }, (_, y) =>
  Array.from({ length: SIDE }, (_x, x) => (x >> 4) + (y >> 4) * 4),
);
const PALETTE = Array.from({ length: 16 }, (_, at) => sceneAt((at % 4) * 16, (at >> 2) * 16));

function indexed(x: number, y: number): number[] {
  return [...(PALETTE[(x >> 4) + (y >> 4) * 4] ?? []), 255];
}

const BOTH = ["turn", "profile"] as const;
const PROFILE = ["profile"] as const;
const LOSSY = 38;

/** One row for each variant of a format. */
export const FORMAT_PICTURES: readonly FormatPicture[] = [
  {
    name: "HEIC",
    format: "heic",
    becomes: "jpeg",
    make: async (making) => await Promise.resolve(heic(HEIC_TILE, making)),
    holds: BOTH,
    pixel: opaque,
    leastPsnr: LOSSY,
  },
  {
    name: "HEIC of 10 bits",
    format: "heic",
    becomes: "jpeg",
    make: async (making) => await Promise.resolve(heic(HEIC_TILE_10_BIT, making)),
    holds: BOTH,
    pixel: opaque,
    leastPsnr: LOSSY,
  },
  {
    name: "HEIC with transparency",
    format: "heic",
    becomes: "png",
    make: async (making) => await Promise.resolve(heic(HEIC_TILE, making, true)),
    holds: BOTH,
    pixel: (x, y) => [...sceneAt(x, y), luma(sceneAt(x, y))],
    leastPsnr: LOSSY,
  },
  {
    name: "AVIF",
    format: "avif",
    becomes: "jpeg",
    make: async (making) =>
      await finish(drawn(3, sceneAt).avif({ quality: 95, chromaSubsampling: "4:4:4", effort: 0 }), making),
    holds: PROFILE,
    pixel: opaque,
    leastPsnr: LOSSY,
  },
  {
    name: "AVIF of 10 bits",
    format: "avif",
    becomes: "jpeg",
    make: async (making) =>
      await finish(drawn(3, sceneAt).avif({ quality: 95, bitdepth: 10, effort: 0 }), making),
    holds: PROFILE,
    pixel: opaque,
    leastPsnr: LOSSY,
  },
  {
    name: "AVIF with transparency",
    format: "avif",
    becomes: "png",
    make: async (making) =>
      await finish(
        drawn(4, (x, y) => [...sceneAt(x, y), 255 - x * 2]).avif({
          quality: 95,
          chromaSubsampling: "4:4:4",
          effort: 0,
        }),
        making,
      ),
    holds: PROFILE,
    pixel: (x, y) => [...sceneAt(x, y), 255 - x * 2],
    leastPsnr: LOSSY,
  },
  {
    name: "BMP of 24 bits",
    format: "bmp",
    becomes: "png",
    make: async () => {
      const rows = Array.from({ length: SIDE }, (_, y) =>
        Array.from({ length: SIDE }, (_x, x) => {
          const [red, green, blue] = sceneAt(x, y);
          return (red << 16) | (green << 8) | blue;
        }),
      );
      return await Promise.resolve(withSecret(writeBmp(rows, { bits: 24 })));
    },
    holds: [],
    pixel: opaque,
    leastPsnr: Infinity,
  },
  {
    name: "BMP in runs",
    format: "bmp",
    becomes: "png",
    make: async () =>
      await Promise.resolve(withSecret(writeBmp(INDICES, { bits: 8, palette: PALETTE, isRle: true }))),
    holds: [],
    pixel: indexed,
    leastPsnr: Infinity,
  },
  {
    name: "GIF",
    format: "gif",
    becomes: "png",
    make: async (making) => await finish(drawn(4, indexed).gif({ effort: 1, dither: 0 }), making),
    holds: [],
    pixel: indexed,
    // sharp rounds colors to a grid when it chooses a palette.
    leastPsnr: 50,
  },
  ...(["none", "lzw", "deflate", "packbits"] as const).map((compression): FormatPicture => ({
    name: `TIFF, ${compression}`,
    format: "tiff",
    becomes: "png",
    make: async (making) => await finish(drawn(3, sceneAt).tiff({ compression }), making),
    holds: BOTH,
    pixel: opaque,
    leastPsnr: Infinity,
  })),
  {
    name: "TIFF in tiles",
    format: "tiff",
    becomes: "png",
    make: async (making) =>
      await finish(
        drawn(3, sceneAt).tiff({ compression: "deflate", tile: true, tileWidth: 16, tileHeight: 32 }),
        making,
      ),
    holds: BOTH,
    pixel: opaque,
    leastPsnr: Infinity,
  },
  {
    name: "TIFF in grey",
    format: "tiff",
    becomes: "png",
    make: async (making) =>
      await finish(
        drawn(3, (x, y) => grey(x, y).slice(0, 3))
          .toColourspace("b-w")
          .tiff({ compression: "lzw" }),
        making,
      ),
    holds: BOTH,
    pixel: grey,
    leastPsnr: Infinity,
  },
  ...(
    [
      ["TIFF whose colors are apart", true, 2],
      ["TIFF in CMYK", false, 5],
      ["TIFF in CMYK whose colors are apart", true, 5],
    ] as const
  ).map(([name, isPlanar, photometric]): FormatPicture => ({
    name,
    format: "tiff",
    becomes: "png",
    make: async () => {
      const samples = raster((x, y) =>
        photometric === 2 ? sceneAt(x, y) : [...sceneAt(x, y).map((level) => 255 - level), 0],
      );
      const samplesPerPixel = photometric === 2 ? 3 : 4;
      const tiff = writeTiff(samples, { width: SIDE, height: SIDE, samplesPerPixel, photometric, isPlanar });
      return await Promise.resolve(withSecret(tiff));
    },
    holds: [],
    pixel: opaque,
    leastPsnr: Infinity,
  })),
];
