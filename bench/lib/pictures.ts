import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer";
import { randomNumbers } from "./random-numbers.ts";

const CODE_SIDE_PIXELS = 220;
const JPEG_QUALITY = 88;

/**
 * Draws a JPEG street scene as detailed as a photo: sky, walls with windows, grain, people's heads, a license plate, and a QR
 * code. Pictures with different seeds differ in every byte.
 */
export async function drawStreet({
  width,
  height,
  seed,
}: {
  width: number;
  height: number;
  seed: number;
}): Promise<Buffer> {
  const random = randomNumbers(seed);
  const grain = await sharp(grainOf(width, height, random), { raw: { width, height, channels: 1 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const code = await qrCode(`https://veil.example.com/${seed}`);
  return await sharp(Buffer.from(sceneSvg(width, height, random)))
    .composite([
      { input: grain, blend: "overlay" },
      { input: code, left: Math.round(width * 0.7), top: Math.round(height * 0.55) },
    ])
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
}

let writer: Promise<unknown> | undefined;

/** Loads the barcode writer from the installed package; by default the library downloads it from a CDN. */
async function prepareWriter(): Promise<void> {
  writer ??= (async () => {
    const bytes = await readFile(fileURLToPath(import.meta.resolve("zxing-wasm/writer/zxing_writer.wasm")));
    const wasmBinary = new Uint8Array(bytes).buffer;
    return await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  })();
  await writer;
}

async function qrCode(text: string): Promise<Buffer> {
  await prepareWriter();
  const { image, error } = await writeBarcode(text, { format: "QRCode", scale: 6 });
  if (image === null) throw new Error(`The QR code could not be drawn: ${error}`);
  return await sharp(Buffer.from(await image.arrayBuffer()))
    .resize(CODE_SIDE_PIXELS, CODE_SIDE_PIXELS, { kernel: "nearest" })
    .flatten({ background: "white" })
    .toBuffer();
}

function at(share: number, of: number): number {
  return Math.round(share * of);
}

function sceneSvg(width: number, height: number, random: () => number): string {
  const windows = Array.from({ length: 160 }, (_, index) => {
    const x = at(((index % 20) + 0.2 + random() * 0.1) / 20, width);
    const y = at((Math.floor(index / 20) + 0.3) / 14, height);
    const light = at(40 + random() * 60, 1);
    return `<rect x="${x}" y="${y}" width="${at(0.03, width)}" height="${at(0.04, height)}" fill="hsl(210 30% ${light}%)"/>`;
  });
  const people = Array.from({ length: 6 }, (_, index) => {
    const x = at((index + 0.5 + random() * 0.3) / 9, width);
    const y = at(0.6 + random() * 0.05, height);
    const radius = at(0.03, height);
    return `<ellipse cx="${x}" cy="${y + radius * 4}" rx="${radius * 1.6}" ry="${radius * 3}" fill="hsl(${at(random(), 360)} 50% 40%)"/>
      <ellipse cx="${x}" cy="${y}" rx="${at(0.8, radius)}" ry="${radius}" fill="#d8a888"/>
      <path d="M${x - radius} ${y - radius * 0.2}a${radius} ${radius} 0 0 1 ${radius * 2} 0z" fill="#302018"/>
      <circle cx="${x - radius * 0.3}" cy="${y + radius * 0.1}" r="${radius * 0.1}"/><circle cx="${x + radius * 0.3}" cy="${y + radius * 0.1}" r="${radius * 0.1}"/>`;
  });
  const plate = {
    x: at(0.12, width),
    y: at(0.85, height),
    width: at(0.11, width),
    height: at(0.045, height),
  };
  const letters = Array.from({ length: 7 }, (_, index) => {
    const x = plate.x + at((index + 0.4) / 7.5, plate.width);
    return `<rect x="${x}" y="${plate.y + at(0.2, plate.height)}" width="${at(0.07, plate.width)}" height="${at(0.6, plate.height)}" fill="#101010"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x2="0.2" y2="1"><stop stop-color="#7fb2e5"/><stop offset="0.55" stop-color="#b79f86"/><stop offset="1" stop-color="#4b4b50"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>${windows.join("")}
    <rect x="${at(0.08, width)}" y="${at(0.72, height)}" width="${at(0.2, width)}" height="${at(0.2, height)}" rx="30" fill="#a01818"/>
    ${people.join("")}
    <rect x="${plate.x}" y="${plate.y}" width="${plate.width}" height="${plate.height}" fill="#f4f4ee" stroke="#202020" stroke-width="3"/>
    ${letters.join("")}</svg>`;
}

function grainOf(width: number, height: number, random: () => number): Buffer {
  const grain = Buffer.alloc(width * height);
  for (let index = 0; index < grain.length; index++) grain[index] = 128 + Math.round((random() - 0.5) * 36);
  return grain;
}
