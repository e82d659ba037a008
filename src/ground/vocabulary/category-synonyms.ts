import type { RedactionCategory } from "./categories.ts";

/** Names that people and other services use for the categories, in the singular and without separators. */
const SYNONYMS: Readonly<Record<RedactionCategory, readonly string[]>> = {
  heads: ["head", "face", "person", "people", "human", "pedestrian"],
  license_plates: ["licenseplate", "licenceplate", "numberplate", "plate", "registrationplate"],
  screens: ["screen", "monitor", "display"],
  writing: ["text", "logo", "lettering", "handwriting", "word"],
  street_signs: ["streetsign", "sign", "roadsign", "trafficsign"],
  id_cards: ["idcard", "id", "identitycard", "driverlicense", "driverslicense"],
  passports: ["passport"],
  credit_cards: ["creditcard", "bankcard", "debitcard", "paymentcard"],
  name_badges: ["namebadge", "badge", "nametag"],
  qr_codes: ["qrcode", "qr"],
  barcodes: ["barcode"],
  documents: ["document", "paper", "letter"],
  tattoos: ["tattoo"],
};
const CATEGORIES: ReadonlyMap<string, string> = new Map(
  Object.entries(SYNONYMS).flatMap(([category, names]) => names.map((name) => [name, category] as const)),
);

/** The category that a word means; undefined if the word means none. */
export function categoryMeant(word: unknown): string | undefined {
  if (typeof word !== "string" || word.length > 40) return undefined;
  const plain = word.toLowerCase().replace(/[^a-z]/g, "");
  return CATEGORIES.get(plain) ?? CATEGORIES.get(plain.replace(/s$/, ""));
}
