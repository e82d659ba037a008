import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import sharp from "sharp";
import { prepareZXingModule, writeBarcode, type WriterOptions } from "zxing-wasm/writer";
import type { Point } from "../../src/geometry/box.ts";
import { isInside } from "../../src/geometry/polygon.ts";

let ready: Promise<unknown> | undefined;

async function prepareWriter(): Promise<void> {
  ready ??= (async () => {
    const file = createRequire(import.meta.url).resolve("zxing-wasm/writer/zxing_writer.wasm");
    const wasmBinary = Uint8Array.from(await readFile(file)).buffer;
    return prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  })();
  await ready;
}

/** A drawn code and where it lies in its picture. */
export interface DrawnCode {
  readonly frame: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Whether a place, in −½…½ of the symbol's width and height from its centre, is within a polygon given in 0…1. */
  readonly covers: (place: Point, polygon: readonly Point[]) => boolean;
  /** The symbol's area in 0…1 of the picture. */
  readonly areaShare: number;
}

export interface DrawOptions extends WriterOptions {
  readonly degrees?: number;
  /** Blank pixels around the symbol. */
  readonly margin?: number;
  /** Changes the encoded symbol before it is turned. */
  readonly damage?: (png: Uint8Array) => Promise<Uint8Array>;
}

/** Draws a code, turned, slightly blurred, on white. */
export async function drawCode(text: string, options: DrawOptions): Promise<DrawnCode> {
  await prepareWriter();
  const { degrees = 0, margin = 70, damage, ...writer } = options;
  const { image, error } = await writeBarcode(text, { scale: 3, addQuietZones: false, ...writer });
  if (image === null) throw new Error(error);
  const symbol = new Uint8Array(await image.arrayBuffer());
  const { width: symbolWidth, height: symbolHeight } = await sharp(symbol).metadata();
  const background = "#ffffff";
  const framed = await sharp(damage ? await damage(symbol) : symbol)
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background })
    .png()
    .toBuffer();
  const turned = sharp(framed).rotate(degrees, { background }).blur(0.5);
  const { data, info } = await turned.png().toBuffer({ resolveWithObject: true });
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return {
    frame: data,
    width: info.width,
    height: info.height,
    areaShare: (symbolWidth * symbolHeight) / (info.width * info.height),
    covers: ([u, v], polygon) => {
      const [x, y] = [u * symbolWidth, v * symbolHeight];
      return isInside(
        [0.5 + (x * cosine - y * sine) / info.width, 0.5 + (x * sine + y * cosine) / info.height],
        polygon,
      );
    },
  };
}

/** Share of a drawn symbol that lies under polygons. */
export function coverage(code: DrawnCode, polygons: readonly (readonly Point[])[]): number {
  const steps = Array.from({ length: 20 }, (_, i) => (i + 0.5) / 20 - 0.5);
  const places = steps.flatMap((u) => steps.map((v): Point => [u, v]));
  const covered = places.filter((place) => polygons.some((polygon) => code.covers(place, polygon)));
  return covered.length / places.length;
}
