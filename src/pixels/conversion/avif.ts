import createDecoderModule from "@jsquash/avif/codec/dec/avif_dec.js";
import decoderWasm from "@jsquash/avif/codec/dec/avif_dec.wasm?module";
import { instantiateCodec, type CodecFactory } from "../redaction/bytes/codec-instance.ts";
import { avifBytes, MOST_ALIVE_BYTES } from "./avif-limits.ts";
import { findMeta } from "./heic.ts";
import {
  damaged,
  FileWindow,
  MOST_BYTES_AT_ONCE,
  tooLarge,
  type Picture,
  type SourceFile,
} from "./picture.ts";

interface AvifDecoder {
  decode(source: Uint8Array, bitDepth: 8): { data: Uint8ClampedArray; width: number; height: number } | null;
}

/** The primary picture of an AVIF file (AV1 Image File Format). */
export async function openAvif(file: SourceFile): Promise<Picture> {
  const heif = await findMeta(new FileWindow(file), file);
  const { width, height, crop, orientation, profile, alpha } = heif;
  if (avifBytes(heif) > MOST_ALIVE_BYTES || file.sizeBytes > MOST_BYTES_AT_ONCE)
    throw tooLarge("The AVIF is too large to be decoded.");
  const channels = alpha === undefined ? 3 : 4;

  async function* rows(): AsyncGenerator<Uint8Array> {
    const data = await decode(file, { width, height });
    const out = new Uint8Array(crop.width * channels);
    for (let y = crop.top; y < crop.top + crop.height; y++) {
      const from = (y * width + crop.left) * 4;
      for (let x = 0; x < crop.width; x++)
        for (let c = 0; c < channels; c++) out[x * channels + c] = data[from + x * 4 + c] as number;
      yield out;
    }
  }

  const samples = alpha === undefined ? "rgb" : "rgba";
  return { width: crop.width, height: crop.height, samples, bitDepth: 8, orientation, profile, rows };
}

async function decode(
  file: SourceFile,
  { width, height }: { width: number; height: number },
): Promise<Uint8ClampedArray> {
  const bytes = await file.read(0, file.sizeBytes);
  const decoder = await instantiateCodec(
    createDecoderModule as unknown as CodecFactory<AvifDecoder>,
    decoderWasm,
  );
  let raster: ReturnType<AvifDecoder["decode"]>;
  try {
    raster = decoder.decode(bytes, 8);
  } catch (cause) {
    throw damaged("The AVIF cannot be decoded.", cause);
  }
  if (raster === null || raster.width !== width || raster.height !== height)
    throw damaged("The AVIF cannot be decoded.");
  return raster.data;
}
