/** What can be redacted, in the order of the contract. */
export const REDACTION_CATEGORIES = [
  "heads",
  "license_plates",
  "screens",
  "writing",
  "street_signs",
  "id_cards",
  "passports",
  "credit_cards",
  "name_badges",
  "qr_codes",
  "barcodes",
  "documents",
  "tattoos",
] as const;
export type RedactionCategory = (typeof REDACTION_CATEGORIES)[number];

export const REDACTION_METHODS = ["blur", "pixelation"] as const;
export type RedactionMethod = (typeof REDACTION_METHODS)[number];

export const MEDIA_TYPES = ["image", "video"] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const IMAGE_CONTENT_TYPES = { jpeg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;
const VIDEO_CONTENT_TYPES = { mp4: "video/mp4", quicktime: "video/quicktime", webm: "video/webm" } as const;

/** Formats that are taken in and handed back, with the content type of each. */
export const FORMAT_CONTENT_TYPES = { ...IMAGE_CONTENT_TYPES, ...VIDEO_CONTENT_TYPES } as const;
export type ImageFormat = keyof typeof IMAGE_CONTENT_TYPES;
export type VideoFormat = keyof typeof VIDEO_CONTENT_TYPES;
export type MediaFormat = keyof typeof FORMAT_CONTENT_TYPES;

/** Whether a format is one of the images'. */
export function isImageFormat(format: MediaFormat): format is ImageFormat {
  return format in IMAGE_CONTENT_TYPES;
}

/** The kind of media that a format is. */
export function mediaTypeOf(format: MediaFormat): MediaType {
  return isImageFormat(format) ? "image" : "video";
}
