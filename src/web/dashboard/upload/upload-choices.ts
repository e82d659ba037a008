import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/** Categories in the groups in which people look for them, each with a one-line description. */
export const CATEGORY_GROUPS = [
  {
    title: "People",
    categories: {
      heads: "Faces, hair and hats, from every side",
      tattoos: "Drawings and lettering on skin",
      name_badges: "Badges and name tags that people wear",
    },
  },
  {
    title: "Traffic",
    categories: {
      license_plates: "Plates of cars, trucks and motorcycles",
      street_signs: "Street names and other road signs",
    },
  },
  {
    title: "Cards and papers",
    categories: {
      id_cards: "Identity cards and driving licenses",
      passports: "The open page and the cover",
      credit_cards: "Payment cards, front and back",
      documents: "Letters, forms and printed pages",
    },
  },
  {
    title: "Screens, text and codes",
    categories: {
      screens: "Phones, monitors and televisions",
      writing: "Readable text of any kind",
      qr_codes: "Square codes that phones read",
      barcodes: "Striped codes on products and labels",
    },
  },
] as const satisfies readonly {
  readonly title: string;
  readonly categories: Partial<Record<RedactionCategory, string>>;
}[];

/** Presets for common needs. */
interface UploadPreset {
  readonly name: string;
  readonly title: string;
  readonly says: string;
  readonly categories: readonly RedactionCategory[];
}

/** The presets that a service with these categories can offer. */
export function presetsOf(served: readonly RedactionCategory[]): readonly UploadPreset[] {
  const presets: readonly UploadPreset[] = [
    {
      name: "street",
      title: "Street",
      says: "Heads and license plates",
      categories: ["heads", "license_plates"],
    },
    {
      name: "documents",
      title: "Documents",
      says: "Cards, papers, text and codes",
      categories: [
        "id_cards",
        "passports",
        "credit_cards",
        "documents",
        "name_badges",
        "writing",
        "qr_codes",
        "barcodes",
      ],
    },
    { name: "everything", title: "Everything", says: "Everything that Veil can find", categories: served },
  ];
  return presets
    .map(({ name, title, says, categories }) => ({
      name,
      title,
      says,
      categories: categories.filter((category) => served.includes(category)),
    }))
    .filter(({ categories }) => categories.length > 0);
}
