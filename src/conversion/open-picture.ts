import type { ConvertedFormat } from "../vocabulary/media-values.ts";
import { openBmp } from "./bmp.ts";
import { openGif } from "./gif.ts";
import type { Picture, SourceFile } from "./picture.ts";
import { openTiff } from "./tiff.ts";

/** Opens the picture of a file, of several the first. @throws RedactionError when it cannot be decoded */
export async function openPicture(format: ConvertedFormat, file: SourceFile): Promise<Picture> {
  return await OPENERS[format](file);
}

const OPENERS: Readonly<Record<ConvertedFormat, (file: SourceFile) => Promise<Picture>>> = {
  bmp: openBmp,
  gif: openGif,
  tiff: openTiff,
};
