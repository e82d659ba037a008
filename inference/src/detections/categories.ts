/** The thirteen kinds of content that a request can name, in the order of the public interface. */
export const CATEGORIES = [
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

export type Category = (typeof CATEGORIES)[number];
