import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { prepareZXingModule, writeBarcode } from "zxing-wasm/writer";

/** Size of a scene in pixels. */
export const SCENE = { widthPixels: 1600, heightPixels: 1000 } as const;

/** A code as a picture with a white margin. The writer is loaded from its package, because it would be downloaded otherwise. */
export async function drawCode(
  text: string,
  { format, widthPixels }: { format: "QRCode" | "EAN13"; widthPixels: number },
): Promise<Buffer> {
  const file = fileURLToPath(import.meta.resolve("zxing-wasm/writer/zxing_writer.wasm"));
  const wasmBinary = new Uint8Array(await readFile(file)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  const { image } = await writeBarcode(text, { format, scale: 4 });
  if (image === null) throw new Error("The code could not be drawn.");
  const bytes = new Uint8Array(await image.arrayBuffer());
  return await sharp(bytes)
    .flatten({ background: "#fff" })
    .resize({ width: widthPixels, kernel: "nearest" })
    .extend({ top: 8, bottom: 8, left: 8, right: 8, background: "#fff" })
    .png()
    .toBuffer();
}

/** Softens the drawing a little and adds grain, so that it has a photo's texture. */
export async function withGrain(picture: Buffer): Promise<Buffer> {
  const { widthPixels: width, heightPixels: height } = SCENE;
  const grain = await sharp({
    create: {
      width,
      height,
      channels: 3,
      background: "#808080",
      noise: { type: "gaussian", mean: 128, sigma: 14 },
    },
  })
    .png()
    .toBuffer();
  return await sharp(picture)
    .blur(0.8)
    .composite([{ input: grain, blend: "soft-light" }])
    .jpeg({ quality: 90 })
    .toBuffer();
}
