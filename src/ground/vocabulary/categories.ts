/** The categories that can be redacted, in the order of the contract. */
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
