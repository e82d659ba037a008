import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp, { type Sharp } from "sharp";
import * as reader from "zxing-wasm/reader";
import * as writer from "zxing-wasm/writer";

async function wasmOf(file: string): Promise<ArrayBuffer> {
  return new Uint8Array(await readFile(fileURLToPath(import.meta.resolve(file)))).buffer;
}

/** The packages would download their Wasm unless it is passed to them. */
export async function loadCodes(): Promise<void> {
  const [read, write] = await Promise.all([
    wasmOf("zxing-wasm/reader/zxing_reader.wasm"),
    wasmOf("zxing-wasm/writer/zxing_writer.wasm"),
  ]);
  await reader.prepareZXingModule({ overrides: { wasmBinary: read }, fireImmediately: true });
  await writer.prepareZXingModule({ overrides: { wasmBinary: write }, fireImmediately: true });
}

/** The area of a drawn code, in pixels of the picture. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A soft color picture with a QR code and a barcode. */
export async function pictureWithCodes(): Promise<{ picture: Sharp; qr: Area; bars: Area }> {
  const width = 960;
  const height = 720;
  const qr = { left: 120, top: 160, width: 240, height: 240 };
  const bars = { left: 560, top: 420, width: 300, height: 150 };
  const background = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="#7fa7b5"/><stop offset="1" stop-color="#d9c7a3"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#g)"/></svg>`;
  const picture = sharp(Buffer.from(background)).composite([
    { input: await drawn("QRCode", "https://example.com/secret/4711", qr), left: qr.left, top: qr.top },
    { input: await drawn("EAN13", "4006381333931", bars), left: bars.left, top: bars.top },
  ]);
  return { picture: sharp(await picture.png().toBuffer()).removeAlpha(), qr, bars };
}

/** The picture with its colors under this low alpha, or a gray picture whose content is drawn in alpha, dark where it is opaque. */
export async function withTransparency(picture: Sharp, alpha: number | "drawn"): Promise<Sharp> {
  if (alpha !== "drawn") return picture.clone().ensureAlpha(alpha / 255);
  const { data, info } = await picture.clone().greyscale().raw().toBuffer({ resolveWithObject: true });
  const rgba = Uint8Array.from({ length: info.width * info.height * 4 }, (_, at) =>
    (at & 3) === 3 ? 255 - (data[at >> 2] ?? 0) : 128,
  );
  return sharp(rgba, { raw: { width: info.width, height: info.height, channels: 4 } });
}

/** How many codes can be read in a picture with transparency: in its colors without alpha, and on white. */
export async function readableCodesUnderAlpha(picture: Buffer): Promise<number> {
  const colours = await sharp(picture).removeAlpha().png().toBuffer();
  const onWhite = await sharp(picture).flatten({ background: "#fff" }).png().toBuffer();
  return (await readableCodes(colours)) + (await readableCodes(onWhite));
}

async function drawn(format: "QRCode" | "EAN13", text: string, area: Area): Promise<Buffer> {
  const { image } = await writer.writeBarcode(text, { format, scale: 6 });
  if (image === null) throw new Error(`The ${format} code could not be drawn.`);
  return await sharp(Buffer.from(await image.arrayBuffer()))
    .flatten({ background: "#fff" })
    .resize(area.width, area.height, { fit: "fill", kernel: "nearest" })
    .png()
    .toBuffer();
}

/** How many codes a thorough reader can read in a picture. */
export async function readableCodes(picture: Buffer): Promise<number> {
  const png = await sharp(picture).png().toBuffer();
  const found = await reader.readBarcodes(new Uint8Array(png), { tryHarder: true, maxNumberOfSymbols: 10 });
  return found.filter((code) => code.isValid).length;
}

/** The largest difference of any channel between two pictures of one size, outside the areas grown by `margin`. */
export async function largestDifferenceOutside(
  first: Buffer,
  second: Buffer,
  areas: readonly Area[],
  margin: number,
): Promise<number> {
  const a = await sharp(first).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const b = await sharp(second).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  if (a.info.width !== b.info.width || a.info.height !== b.info.height) throw new Error("The sizes differ.");
  let largest = 0;
  for (let y = 0; y < a.info.height; y++) {
    for (let x = 0; x < a.info.width; x++) {
      if (areas.some((area) => isInside(x, y, area, margin))) continue;
      const at = (y * a.info.width + x) * 3;
      for (let channel = at; channel < at + 3; channel++) {
        largest = Math.max(largest, Math.abs((a.data[channel] ?? 0) - (b.data[channel] ?? 0)));
      }
    }
  }
  return largest;
}

function isInside(x: number, y: number, area: Area, margin: number): boolean {
  return (
    x >= area.left - margin &&
    y >= area.top - margin &&
    x < area.left + area.width + margin &&
    y < area.top + area.height + margin
  );
}
