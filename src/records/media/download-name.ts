import type { MediaFormat } from "../../ground/vocabulary/media-values.ts";

/** Extensions that fit a format. The first one is used by default. */
const EXTENSIONS: Readonly<Record<MediaFormat, readonly [string, ...string[]]>> = {
  jpeg: ["jpg", "jpeg", "jpe", "jfif"],
  png: ["png"],
  webp: ["webp"],
  mp4: ["mp4", "m4v"],
  quicktime: ["mov", "qt"],
  webm: ["webm"],
};

/** The longest name that common file systems accept. */
const MAX_NAME_BYTES = 255;

/**
 * The download name of a redacted file: the upload's name with `.redacted` before the extension, and an extension that fits the
 * content. `photo.jpeg` becomes `photo.redacted.jpeg`, and a `photo.png` that holds a JPEG becomes `photo.redacted.jpg`.
 */
export function downloadName(filename: string, format: MediaFormat): string {
  // Digits alone are not an extension: "v1.2" and "2026.11.23" keep theirs.
  const [, stem = filename, extension = ""] = /^(.+)\.(?=\d*[a-z])([a-z\d]{1,5})$/is.exec(filename) ?? [];
  const [usual, ...others] = EXTENSIONS[format];
  const isFitting = [usual, ...others].includes(extension.toLowerCase());
  const ending = `.redacted.${isFitting ? extension : usual}`;
  return `${cutToBytes(stem, MAX_NAME_BYTES - ending.length)}${ending}`;
}

/** The most characters of a subject in the name of an archive. */
const MAX_SUBJECT_CHARACTERS = 60;

/**
 * The name of an archive: its subject, if there is one, a date (YYYY-MM-DD), and whether it holds approved files alone, such as
 * `veil-holiday-2026-11-26-approved.zip`.
 */
export function archiveName(
  subject: string | undefined,
  date: string,
  { isApprovedOnly }: { isApprovedOnly: boolean },
): string {
  const plain = (subject ?? "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .slice(0, MAX_SUBJECT_CHARACTERS)
    .replaceAll(/^-+|-+$/g, "");
  const words = ["veil", ...(plain === "" ? [] : [plain]), date, ...(isApprovedOnly ? ["approved"] : [])];
  return `${words.join("-")}.zip`;
}

/** `Content-Disposition` of a file to save, with its name in both forms of RFC 6266 §4.3. */
export function contentDisposition(filename: string): string {
  // Uploads already refuse such names, but a header must be safe with any name.
  const name = filename.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, "_");
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Truncates a text between characters to a number of bytes in UTF-8. */
function cutToBytes(text: string, maxBytes: number): string {
  let kept = "";
  let sizeBytes = 0;
  for (const character of text) {
    sizeBytes += new TextEncoder().encode(character).length;
    if (sizeBytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
