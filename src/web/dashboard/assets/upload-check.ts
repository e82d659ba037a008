import { shownSize } from "./upload-words.ts";

/** The largest accepted files. */
export interface Limits {
  readonly photoBytes: number;
  readonly videoBytes: number;
}

/** How many bytes at a file's beginning are enough to detect its format. */
const BEGINNING_BYTES = 4100;

const ACCEPTED =
  "Accepted formats are JPEG, PNG, WebP, HEIC, AVIF, GIF, TIFF and BMP photos and MP4, QuickTime, WebM, MKV and AVI videos.";

/** The brands of HEIC and AVIF photos. */
const PHOTO_BRAND = /^(hei[cx]|mif1|avi[fs])/;

/** Other formats of the MP4 family, by the first letters of their brands. */
const OTHER_BRANDS = [
  { brand: /^(hevc|hevx|msf1)/, name: "HEIC sequence" },
  { brand: /^(M4A|M4B|F4A|F4B)/, name: "audio" },
  { brand: /^3g/, name: "3GP" },
  { brand: /^crx/, name: "camera raw" },
];

/** The first bytes of photos that the service converts: GIF, BMP and TIFF. */
const CONVERTED = ["GIF8", "BM", "II*\0", "MM\0*"];

/** Formats that people often choose but that are not accepted, by their first bytes. */
const OTHER_BEGINNINGS = [
  { begins: "%PDF", name: "a PDF" },
  { begins: "PK\u0003\u0004", name: "a ZIP archive or an office document" },
  { begins: "8BPS", name: "a Photoshop file" },
  { begins: "FLV", name: "a Flash video" },
  { begins: "<svg", name: "an SVG drawing" },
];

/**
 * Detects a file's format by its content, as the service does, or says why it cannot be sent. Ignores name and type. Never refuses a file
 * that the service would accept.
 */
export async function checkFile(
  file: File,
  limits: Limits,
): Promise<{ readonly isVideo: boolean; readonly fault?: undefined } | { readonly fault: string }> {
  if (new TextEncoder().encode(file.name).length > 255)
    return { fault: "The name is too long. Rename the file to at most 255 bytes." };
  if (file.size === 0) return { fault: "The file is empty." };
  let beginning: Uint8Array;
  try {
    beginning = new Uint8Array(await file.slice(0, BEGINNING_BYTES).arrayBuffer());
  } catch {
    return { fault: "The file cannot be read. It may have been moved or changed: choose it again." };
  }
  const kind = kindOf(beginning);
  if (kind.fault !== undefined) return kind;
  const limit = kind.isVideo ? limits.videoBytes : limits.photoBytes;
  if (file.size > limit)
    return { fault: `The file is ${shownSize(file.size)}. The limit is ${shownSize(limit)}.` };
  return kind;
}

/** The kind of a file by its first bytes. */
export function kindOf(
  beginning: Uint8Array,
): { readonly isVideo: boolean; readonly fault?: undefined } | { readonly fault: string } {
  // Each byte as one character, so that the first bytes can be compared as text.
  const text = String.fromCharCode(...beginning);
  if (text.startsWith("\xff\xd8\xff")) return { isVideo: false };
  if (text.startsWith("\x89PNG\r\n\x1a\n"))
    return isAnimated(text)
      ? { fault: "The PNG is animated. Only still images are accepted." }
      : { isVideo: false };
  if (text.startsWith("RIFF") && text.startsWith("WEBP", 8)) return { isVideo: false };
  if (text.startsWith("RIFF") && text.startsWith("AVI ", 8)) return { isVideo: true };
  if (CONVERTED.some((begins) => text.startsWith(begins))) return { isVideo: false };
  if (text.startsWith("ftyp", 4)) return kindOfBrand(text.slice(8, 12));
  if (/^.{4}(moov|mdat|free|wide)/s.test(text)) return { isVideo: true };
  if (text.startsWith("\x1aE\xdf\xa3")) return { isVideo: true };
  const known = OTHER_BEGINNINGS.find(({ begins }) => text.startsWith(begins));
  return { fault: `This is ${known?.name ?? "not a photo or video that can be read here"}. ${ACCEPTED}` };
}

function kindOfBrand(brand: string) {
  if (PHOTO_BRAND.test(brand)) return { isVideo: false };
  const other = OTHER_BRANDS.find((one) => one.brand.test(brand));
  if (other === undefined) return { isVideo: true };
  return {
    fault: `This is ${other.name === "audio" ? "an audio file" : `a ${other.name} file`}. ${ACCEPTED}`,
  };
}

function isAnimated(text: string) {
  const control = text.indexOf("\0\0\0\bacTL");
  const data = text.indexOf("IDAT");
  return control >= 0 && (data < 0 || control < data);
}
