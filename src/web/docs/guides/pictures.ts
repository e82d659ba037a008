import barcodes from "../../../../docs/pictures/categories/barcodes.webp";
import creditCards from "../../../../docs/pictures/categories/credit_cards.webp";
import documents from "../../../../docs/pictures/categories/documents.webp";
import heads from "../../../../docs/pictures/categories/heads.webp";
import idCards from "../../../../docs/pictures/categories/id_cards.webp";
import licensePlates from "../../../../docs/pictures/categories/license_plates.webp";
import nameBadges from "../../../../docs/pictures/categories/name_badges.webp";
import passports from "../../../../docs/pictures/categories/passports.webp";
import qrCodes from "../../../../docs/pictures/categories/qr_codes.webp";
import screens from "../../../../docs/pictures/categories/screens.webp";
import streetSigns from "../../../../docs/pictures/categories/street_signs.webp";
import tattoos from "../../../../docs/pictures/categories/tattoos.webp";
import writing from "../../../../docs/pictures/categories/writing.webp";

/** Pictures of guides, as WebP, by their file from the root of the repository. */
export const PICTURES: ReadonlyMap<string, ArrayBuffer> = new Map([
  ["docs/pictures/categories/heads.webp", heads],
  ["docs/pictures/categories/license_plates.webp", licensePlates],
  ["docs/pictures/categories/screens.webp", screens],
  ["docs/pictures/categories/writing.webp", writing],
  ["docs/pictures/categories/street_signs.webp", streetSigns],
  ["docs/pictures/categories/id_cards.webp", idCards],
  ["docs/pictures/categories/passports.webp", passports],
  ["docs/pictures/categories/credit_cards.webp", creditCards],
  ["docs/pictures/categories/name_badges.webp", nameBadges],
  ["docs/pictures/categories/qr_codes.webp", qrCodes],
  ["docs/pictures/categories/barcodes.webp", barcodes],
  ["docs/pictures/categories/documents.webp", documents],
  ["docs/pictures/categories/tattoos.webp", tattoos],
]);

/** The site's address of a picture; undefined if it has none. */
export function addressOfPicture(file: string): string | undefined {
  return PICTURES.has(file) ? `/${file}` : undefined;
}
