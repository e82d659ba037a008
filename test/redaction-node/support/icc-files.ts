import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { letters } from "./icc-profile.ts";
import { joinBytes, pngChunk, through } from "./png-file.ts";

/** A PNG with a profile. */
export async function withPngProfile(png: Uint8Array, profile: Uint8Array): Promise<Uint8Array> {
  const payload = joinBytes([
    letters("a name\0\0"),
    await through(profile, new CompressionStream("deflate")),
  ]);
  return joinBytes([png.subarray(0, 33), pngChunk("iCCP", payload), png.subarray(33)]);
}

/** A JPEG with a profile in segments of a size, in ascending or descending order. */
export function withJpegProfile(
  jpeg: Uint8Array,
  profile: Uint8Array,
  { partBytes = 60_000, isReversed = false }: { partBytes?: number; isReversed?: boolean } = {},
): Uint8Array {
  const count = Math.ceil(profile.length / partBytes);
  const segments = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * partBytes, (index + 1) * partBytes);
    const length = part.length + 16;
    const head = [0xff, 0xe2, length >> 8, length & 255, ...letters("ICC_PROFILE\0"), index + 1, count];
    return joinBytes([Uint8Array.from(head), part]);
  });
  if (isReversed) segments.reverse();
  return joinBytes([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** A WebP of one simple chunk with a profile. */
export function withWebpProfile(
  webp: Uint8Array,
  profile: Uint8Array,
  { width, height }: { width: number; height: number },
): Uint8Array {
  const chunk = (name: string, payload: Uint8Array): Uint8Array =>
    joinBytes([letters(name), uint32(payload.length), payload, new Uint8Array(payload.length & 1)]);
  const canvas = joinBytes([
    uint32(0x20),
    uint32(width - 1).subarray(0, 3),
    uint32(height - 1).subarray(0, 3),
  ]);
  const body = joinBytes([letters("WEBP"), chunk("VP8X", canvas), chunk("ICCP", profile), webp.subarray(12)]);
  return joinBytes([letters("RIFF"), uint32(body.length), body]);
}

/** 16 × 16 pixels with every channel from dark to light, in different directions. */
export async function rampPicture(space: "GRAY" | "RGB " | "CMYK"): Promise<Uint8Array> {
  const channels = space === "GRAY" ? 1 : space === "RGB " ? 3 : 4;
  const pixels = Uint8Array.from({ length: 256 * channels }, (_, at) => {
    const pixel = Math.floor(at / channels);
    return (
      [(pixel % 16) * 17, Math.floor(pixel / 16) * 17, (pixel * 37) % 256, (pixel * 11) % 128][
        at % channels
      ] ?? 0
    );
  });
  if (space !== "CMYK") {
    const raw = { width: 16, height: 16, channels: channels === 1 ? 1 : 3 } as const;
    const picture = sharp(pixels, { raw });
    return await (channels === 1 ? picture.toColourspace("b-w") : picture).png().toBuffer();
  }
  const raw = { width: 16, height: 16, channels: 3 } as const;
  const rgb = pixels.filter((_, at) => at % 4 !== 3);
  return await sharp(rgb, { raw }).toColourspace("cmyk").jpeg({ quality: 95 }).toBuffer();
}

/** The picture's colors in sRGB, converted from the file's profile by another color engine (LittleCMS). */
export async function coloursOf(file: Uint8Array): Promise<Uint8Array> {
  return await sharp(file).toColourspace("srgb").raw().toBuffer();
}

/** An sRGB ramp converted to the colors of a profile by LittleCMS. */
export async function coloursInto(profile: Uint8Array): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "veil-icc-"));
  try {
    const path = join(folder, "profile.icc");
    await writeFile(path, profile);
    const isCmyk = String.fromCharCode(...profile.subarray(16, 20)) === "CMYK";
    const picture = sharp(await rampPicture("RGB ")).withIccProfile(path);
    return await (isCmyk ? picture.toColourspace("cmyk") : picture).raw().toBuffer();
  } finally {
    await rm(folder, { recursive: true });
  }
}
