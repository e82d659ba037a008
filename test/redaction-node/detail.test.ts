import sharp, { type Sharp } from "sharp";
import { describe, expect, it } from "vitest";
import { isSameDetail, readDetail, type Region } from "../../src/pixels/redaction/index.ts";
import { openBytes } from "../../src/pixels/redaction/bytes/byte-source.ts";
import type { ImageFormat } from "../../src/ground/vocabulary/media-values.ts";
import { Random } from "../support/random.ts";
import { redactBytes } from "./support/redact.ts";

const SIZE = { width: 637, height: 421 };
const COLUMNS = 6;
const ROWS = 4;

const FILES: readonly {
  readonly name: string;
  readonly format: ImageFormat;
  readonly encode: (picture: Sharp) => Sharp;
}[] = [
  { name: "JPEG, 4:2:0", format: "jpeg", encode: (picture) => picture.jpeg({ quality: 80 }) },
  {
    name: "JPEG, 4:4:4, coarse",
    format: "jpeg",
    encode: (picture) => picture.jpeg({ quality: 40, chromaSubsampling: "4:4:4" }),
  },
  { name: "JPEG, progressive", format: "jpeg", encode: (picture) => picture.jpeg({ progressive: true }) },
  { name: "JPEG, gray", format: "jpeg", encode: (picture) => picture.grayscale().jpeg() },
  { name: "PNG", format: "png", encode: (picture) => picture.png() },
  { name: "PNG, interlaced", format: "png", encode: (picture) => picture.png({ progressive: true }) },
  { name: "PNG, palette", format: "png", encode: (picture) => picture.png({ palette: true, colors: 32 }) },
  { name: "WebP, lossy", format: "webp", encode: (picture) => picture.webp({ quality: 60 }) },
  { name: "WebP, lossless", format: "webp", encode: (picture) => picture.webp({ lossless: true }) },
];

/** A soft landscape on which a drawing stands in each of some fields: letters, bars, or a face. */
async function drawPicture(): Promise<Sharp> {
  const { width, height } = SIZE;
  const [fieldWidth, fieldHeight] = [width / COLUMNS, height / ROWS];
  const drawings = Array.from({ length: COLUMNS * ROWS }, (_none, index) => {
    const [x, y] = [(index % COLUMNS) * fieldWidth, Math.floor(index / COLUMNS) * fieldHeight];
    const drawing = [
      `<text x="8" y="50" font-size="34" font-family="sans-serif">R${index}k</text>`,
      `<path d="M12 20h60M12 34h60M12 48h60M12 62h60" stroke="#333" stroke-width="5"/>`,
      `<circle cx="45" cy="48" r="32" fill="#e0b090"/><circle cx="34" cy="40" r="4"/><circle cx="56" cy="40" r="4"/><path d="M32 60q13 10 26 0" stroke="#722" stroke-width="3" fill="none"/>`,
    ][index % 3];
    return `<g transform="translate(${x} ${y})">${drawing}</g>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x2="1" y2="1"><stop offset="0" stop-color="#2060c0"/><stop offset="1" stop-color="#e0a040"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/>${drawings.join("")}</svg>`;
  return sharp(await sharp(new TextEncoder().encode(svg)).flatten().raw().toBuffer(), {
    raw: { ...SIZE, channels: 3 },
  });
}

/** One outline in each field, over its drawing. They are far enough apart for no mask to reach into another. */
function outlinesIn(random: Random): Region[] {
  return Array.from({ length: COLUMNS * ROWS }, (_none, index): Region => {
    const [x, y] = [(index % COLUMNS) / COLUMNS, Math.floor(index / COLUMNS) / ROWS];
    const side = 30 + 40 * random.next();
    const [width, height] = [side / SIZE.width, side / SIZE.height];
    const left = x + (46 - side / 2) / SIZE.width;
    const top = y + (44 - side / 2) / SIZE.height;
    return {
      category: random.pick(["heads", "writing", "screens", "license_plates"] as const),
      shape: random.pick(["ellipse", "box"] as const),
      box: [left, top, width, height],
    };
  });
}

describe.each(FILES)("$name", ({ format, encode }) => {
  it.each(["blur", "pixelation"] as const)("shows where %s left something out", async (method) => {
    const random = new Random(method.length);
    const source = new Uint8Array(await encode(await drawPicture()).toBuffer());
    const outlines = outlinesIn(random);
    const isPainted = outlines.map(() => random.next() < 0.6);
    const painted = outlines.filter((_outline, index) => isPainted[index]);
    const output = await redactBytes(format, source, painted, method);
    const before = await readDetail({ open: openBytes(source), format }, outlines);
    const after = await readDetail({ open: openBytes(output), format }, outlines);
    const same = outlines.map((_outline, index) => isSameDetail(before[index] ?? [], after[index] ?? []));
    expect(same).toEqual(isPainted.map((is) => !is));
  });

  it("shows nothing unchanged where a picture is even", async () => {
    const even = sharp({ create: { ...SIZE, channels: 3, background: "#8090a0" } });
    const source = new Uint8Array(await encode(even).toBuffer());
    const [before = []] = await readDetail({ open: openBytes(source), format }, outlinesIn(new Random(1)));
    expect(before.length).toBeGreaterThan(0);
    expect(isSameDetail(before, before)).toBe(false);
  });
});

it("reads a few blocks of each outline where there are thousands", async () => {
  const source = new Uint8Array(await (await drawPicture()).jpeg().toBuffer());
  const [outline] = outlinesIn(new Random(2));
  if (outline === undefined) throw new Error("There is no outline.");
  const outlines = Array.from({ length: 3000 }, () => outline);
  const detail = await readDetail({ open: openBytes(source), format: "jpeg" }, outlines);
  expect(detail).toHaveLength(3000);
  for (const blocks of detail) expect(blocks.length).toBeLessThanOrEqual(6);
});

it("has no detail of an outline outside the picture", async () => {
  const source = new Uint8Array(await (await drawPicture()).jpeg().toBuffer());
  const outline: Region = { category: "heads", shape: "ellipse", box: [1.5, -0.9, 0.2, 0.2] };
  expect(await readDetail({ open: openBytes(source), format: "jpeg" }, [outline])).toEqual([[]]);
});
