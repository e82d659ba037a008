import type { ConvertedFormat } from "../../ground/vocabulary/media-values.ts";
import { openAvif } from "./avif.ts";
import { openBmp } from "./bmp.ts";
import { openGif } from "./gif.ts";
import { openHeic } from "./heic.ts";
import type { Picture, SourceFile } from "./picture.ts";
import { writeJpeg } from "./jpeg-writer.ts";
import { writePng } from "./png-writer.ts";
import { openTiff } from "./tiff.ts";

/** Writes a picture in the format that its file is converted to. */
export const WRITERS: Readonly<Record<"jpeg" | "png", (picture: Picture) => AsyncGenerator<Uint8Array>>> = {
  jpeg: writeJpeg,
  png: writePng,
};

/** Opens the first picture of a file. @throws RedactionError when it cannot be decoded */
export async function openPicture(format: ConvertedFormat, file: SourceFile): Promise<Picture> {
  return await OPENERS[format](file);
}

const OPENERS: Readonly<Record<ConvertedFormat, (file: SourceFile) => Promise<Picture>>> = {
  heic: openHeic,
  avif: openAvif,
  bmp: openBmp,
  gif: openGif,
  tiff: openTiff,
};
