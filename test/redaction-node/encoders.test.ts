import jpegEncoder from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm?module";
import encodeJpeg, { init as initJpeg } from "@jsquash/jpeg/encode.js";
import pngEncoder from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm?module";
import encodePng, { init as initPng } from "@jsquash/png/encode.js";
import { PhotonImage } from "@cf-wasm/photon/node";
import { beforeAll, describe, expect, it } from "vitest";
import type { RgbaRaster } from "../../src/pixels/redaction/webp/paint.ts";
import { encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { decodedRgba, drawPicture, expectEqualOutside, JPEG_REACH_PX } from "./support/decoded.ts";
import { Random } from "../support/random.ts";
import { randomRegions } from "./support/random-regions.ts";
import { redactBytes } from "./support/redact.ts";

const FILES_PER_ENCODER = 6;
/** A lossy WebP is encoded again; libvips smooths its chroma, which moves single levels far. */
const LOSSY_TOLERANCE = 72;

/** The encoders accept the browser's ImageData but use only these parts. */
type Encode = (picture: RgbaRaster, options?: object) => Promise<ArrayBuffer>;

async function mozjpeg(raster: RgbaRaster, options: object): Promise<Uint8Array> {
  return new Uint8Array(await (encodeJpeg as unknown as Encode)(raster, options));
}

function photon(raster: RgbaRaster, encode: (image: PhotonImage) => Uint8Array): Uint8Array {
  const image = new PhotonImage(new Uint8Array(raster.data), raster.width, raster.height);
  const bytes = encode(image).slice();
  image.free();
  return bytes;
}

const BASELINE = { baseline: true, progressive: false } as const;
const GREY = 1;
const RGB = 2;

const ENCODERS: readonly {
  readonly name: string;
  readonly format: "jpeg" | "png" | "webp";
  readonly encode: (raster: RgbaRaster) => Uint8Array | Promise<Uint8Array>;
  readonly isLossy?: boolean;
}[] = [
  {
    name: "photon JPEG 90",
    format: "jpeg",
    encode: (raster) => photon(raster, (image) => image.get_bytes_jpeg(90)),
  },
  {
    name: "photon JPEG 30",
    format: "jpeg",
    encode: (raster) => photon(raster, (image) => image.get_bytes_jpeg(30)),
  },
  { name: "photon PNG", format: "png", encode: (raster) => photon(raster, (image) => image.get_bytes()) },
  {
    name: "photon WebP",
    format: "webp",
    encode: (raster) => photon(raster, (image) => image.get_bytes_webp()),
  },
  { name: "jSquash JPEG, progressive", format: "jpeg", encode: async (raster) => await mozjpeg(raster, {}) },
  {
    name: "jSquash JPEG, baseline",
    format: "jpeg",
    encode: async (raster) => await mozjpeg(raster, { ...BASELINE, quality: 90 }),
  },
  {
    name: "jSquash JPEG, baseline with standard tables and full chroma",
    format: "jpeg",
    encode: async (raster) =>
      await mozjpeg(raster, {
        ...BASELINE,
        optimize_coding: false,
        auto_subsample: false,
        chroma_subsample: 1,
      }),
  },
  {
    name: "jSquash JPEG, grey",
    format: "jpeg",
    encode: async (raster) => await mozjpeg(raster, { color_space: GREY }),
  },
  {
    name: "jSquash JPEG, RGB",
    format: "jpeg",
    encode: async (raster) =>
      await mozjpeg(raster, { color_space: RGB, auto_subsample: false, chroma_subsample: 1 }),
  },
  {
    name: "jSquash JPEG, trellis and steep quantisation",
    format: "jpeg",
    encode: async (raster) =>
      await mozjpeg(raster, { quality: 40, trellis_multipass: true, trellis_opt_zero: true, quant_table: 2 }),
  },
  {
    name: "jSquash PNG",
    format: "png",
    encode: async (raster) => new Uint8Array(await (encodePng as unknown as Encode)(raster)),
  },
  {
    name: "jSquash WebP, lossless",
    format: "webp",
    encode: async (raster) => await encodeWebp(raster, true),
  },
  {
    name: "jSquash WebP, lossy",
    format: "webp",
    encode: async (raster) => await encodeWebp(raster, false),
    isLossy: true,
  },
];

beforeAll(async () => {
  await (initJpeg as (module: WebAssembly.Module) => Promise<void>)(jpegEncoder);
  await initPng(pngEncoder);
});

describe.each(ENCODERS)("files of $name", ({ format, encode, isLossy }) => {
  it("decode alike outside the regions", async () => {
    for (let seed = 1; seed <= FILES_PER_ENCODER; seed++) {
      const random = new Random(seed * 577);
      const raster = await decodedRgba(new Uint8Array(await (await drawPicture(random)).png().toBuffer()));
      const source = await encode(raster);
      const regions = randomRegions(random);
      const output = await redactBytes(format, source, regions, random.pick(["blur", "pixelation"] as const));
      const reachPx = format === "jpeg" ? JPEG_REACH_PX : 2;
      const tolerance = isLossy === true ? LOSSY_TOLERANCE : 0;
      await expectEqualOutside({
        source,
        output,
        regions,
        reachPx,
        tolerance,
        isAlphaOptional: format === "webp",
      });
    }
  });
});

/** Frames of arithmetic, lossless, hierarchical and 12-bit coding (T.81, table B.1). */
const OTHER_FRAMES = [0xc3, 0xc5, 0xc9, 0xca];

describe("JPEG files of other kinds", () => {
  it.each(OTHER_FRAMES)("are refused: frame marker %i", async (marker) => {
    const raster = await decodedRgba(
      new Uint8Array(await (await drawPicture(new Random(3))).png().toBuffer()),
    );
    const source = photon(raster, (image) => image.get_bytes_jpeg(80));
    const frame = source.findIndex((byte, at) => byte === 0xff && source[at + 1] === 0xc0);
    source[frame + 1] = marker;
    await expect(redactBytes("jpeg", source, [], "blur")).rejects.toMatchObject({ code: "unsupported" });
  });
});
