import sharp, { type Sharp } from "sharp";
import { expect } from "vitest";
import type { Region } from "../../../src/pixels/redaction/regions/regions.ts";
import type { Random } from "../../support/random.ts";
import { touches } from "./random-regions.ts";

/** Chroma is stored at half size and interpolated: a block's change shows this far beyond it. */
export const JPEG_REACH_PX = 36;
/** A JPEG file's last units are coded again where the picture ends within them: what lies under the edge is averaged there. */
const JPEG_UNIT_PX = 16;
const JPEG_EDGE_TOLERANCE = 4;

/** Noise and shapes of some tens to hundreds of pixels. */
export async function drawPicture(random: Random): Promise<Sharp> {
  const width = random.int(50, 300);
  const height = random.int(50, 300);
  const noise = { type: "gaussian", mean: random.int(60, 190), sigma: random.int(5, 60) } as const;
  const background = { r: random.int(0, 255), g: random.int(0, 255), b: random.int(0, 255) };
  const shapes = Array.from({ length: 12 }, () => {
    const place = `cx="${random.int(0, width)}" cy="${random.int(0, height)}" r="${random.int(3, 60)}"`;
    return `<circle ${place} fill="hsl(${random.int(0, 359)} 70% 50%)" opacity="0.6"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes.join("")}</svg>`;
  const drawn = await sharp({ create: { width, height, channels: 3, background, noise } })
    .composite([{ input: new TextEncoder().encode(svg) }])
    .removeAlpha()
    .png()
    .toBuffer();
  return sharp(drawn);
}

/** Every third pixel that lies further than `reachPx` from all regions decodes (by libvips) as it did before. */
export async function expectEqualOutside(args: {
  source: Uint8Array;
  output: Uint8Array;
  regions: readonly Region[];
  reachPx: number;
  /** Greatest difference in levels: none but for pictures that are encoded with loss again. */
  tolerance?: number;
  isAlphaOptional?: boolean;
}): Promise<void> {
  const { source, output, regions, reachPx, tolerance = 0, isAlphaOptional = false } = args;
  // An alpha channel that is opaque everywhere need not be told.
  const decode = (file: Uint8Array): Sharp => {
    const picture = sharp(file, { failOn: "warning" });
    return isAlphaOptional ? picture.ensureAlpha() : picture;
  };
  const before = await decode(source).raw().toBuffer({ resolveWithObject: true });
  const after = await decode(output).raw().toBuffer({ resolveWithObject: true });
  expect(after.info).toEqual(before.info);
  const { width, height, channels } = before.info;
  for (let y = 0; y < height; y += 3) {
    for (let x = 0; x < width; x += 3) {
      const at = (y * width + x) * channels;
      const pixel = before.data.subarray(at, at + channels);
      const isAtEdge = reachPx === JPEG_REACH_PX && (isInLastUnit(x, width) || isInLastUnit(y, height));
      const most = isAtEdge ? Math.max(tolerance, JPEG_EDGE_TOLERANCE) : tolerance;
      if (pixel.every((level, channel) => Math.abs(level - (after.data[at + channel] ?? 0)) <= most))
        continue;
      const area = { left: x, top: y, right: x + 1, bottom: y + 1 };
      expect(touches(regions, area, { width, height }, { step: 1, reach: reachPx })).toBe(true);
    }
  }
}

/** What two files of one picture with different hidden parts must not be told apart by: the decoded pixels inside. */
export async function decodedRgba(file: Uint8Array) {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data: new Uint8Array(data), width: info.width, height: info.height };
}

/** Whether a pixel is of the last unit along an axis, or beside it, where chroma is interpolated, and the picture ends within that unit. */
function isInLastUnit(at: number, length: number): boolean {
  return length % JPEG_UNIT_PX !== 0 && at >= length - (length % JPEG_UNIT_PX) - 1;
}
