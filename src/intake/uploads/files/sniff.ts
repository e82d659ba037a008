import { hasText } from "../../../pixels/redaction/bytes/bytes.ts";
import type { UploadFormat } from "../../../ground/vocabulary/media-values.ts";

/** How many bytes at a file's beginning are enough to detect its format. */
export const SNIFF_BYTES = 4100;

/** The result of type detection: the upload format, or the reason for the refusal as a full sentence. */
export type Sniffed = { readonly format: UploadFormat } | { readonly refusal: string };

const ACCEPTED =
  "supported formats are JPEG, PNG, WebP, HEIC, AVIF, GIF, TIFF and BMP images and MP4, QuickTime, WebM, Matroska and AVI videos";
const FORMATS: Readonly<Record<string, UploadFormat>> = {
  "image/jpeg": "jpeg",
  "image/png": "png",
  "image/webp": "webp",
  "image/heic": "heic",
  "image/heif": "heic",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/tiff": "tiff",
  "video/mp4": "mp4",
  "video/x-m4v": "mp4",
  "video/quicktime": "quicktime",
  "video/webm": "webm",
  // The codecs of these containers determine the output format once the file is stored.
  "video/matroska": "mp4",
  "video/vnd.avi": "mp4",
};

/** Detects a file's format by its content, ignoring its name and declared type. */
export async function sniff(beginning: Uint8Array): Promise<Sniffed> {
  if (beginning.length === 0) return { refusal: `The file is empty; ${ACCEPTED}.` };
  // Loaded with the first file, so that the API starts without it.
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(beginning);
  // file-type identifies a TIFF by a directory that is at the end of most files.
  if (found === undefined && isTiff(beginning)) return { format: "tiff" };
  if (found === undefined) return { refusal: `Unrecognized file format; ${ACCEPTED}.` };
  const isGeneralHeif = found.mime === "image/heif";
  const format = isGeneralHeif && hasBrand(beginning, "avif") ? "avif" : FORMATS[found.mime];
  if (format !== undefined) return { format };
  if (found.mime === "image/apng")
    return { refusal: "The PNG is animated; only still images are supported." };
  return { refusal: `The file is ${found.mime}; ${ACCEPTED}.` };
}

function isTiff(beginning: Uint8Array): boolean {
  return ["II*\0", "MM\0*"].some((mark) => hasText(beginning, 0, mark));
}

/** Whether a file lists a brand among its compatible brands (ISO/IEC 14496-12 §4.3). */
function hasBrand(beginning: Uint8Array, brand: string): boolean {
  const { buffer, byteOffset, byteLength } = beginning;
  const end = Math.min(new DataView(buffer, byteOffset).getUint32(0), byteLength);
  for (let at = 16; at + 4 <= end; at += 4) if (hasText(beginning, at, brand)) return true;
  return false;
}
