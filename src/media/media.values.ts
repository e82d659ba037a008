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

/** Formats that are taken in and handed back, with the content type of each. */
export const FORMAT_CONTENT_TYPES = { jpeg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;
export type MediaFormat = keyof typeof FORMAT_CONTENT_TYPES;
