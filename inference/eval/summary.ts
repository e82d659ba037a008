import { CATEGORIES } from "../src/detections/categories.ts";
import type { DetectorReport } from "./evaluate.ts";

/** The figures of an evaluation, with one line per category: `bench/results/eval.json`. */
interface Summary {
  readonly name: string;
  readonly models: readonly string[];
  readonly millisecondsPerPhoto: number;
  readonly millisecondsPerMegapixel: number;
  readonly sets: readonly {
    readonly name: string;
    readonly photos: number;
    readonly categories: Readonly<Record<string, SummaryLine>>;
  }[];
  /** Of the photos without a category, the share in which it is found. */
  readonly presence: Readonly<Record<string, { readonly photos: number; readonly share: number }>>;
}

interface SummaryLine {
  readonly targets: number;
  readonly covered: number;
  readonly painted: number | undefined;
  readonly paintedToFound: number | undefined;
  readonly falsePerPhoto: number | undefined;
}

/** Reduces a detector's report to the figures at the shipped settings. */
export function summaryOf({ sets, presence, models, ...detector }: DetectorReport): Summary {
  return {
    name: detector.name,
    models: models.map(({ id, version }) => `${id} ${version}`),
    millisecondsPerPhoto: detector.millisecondsPerPhoto,
    millisecondsPerMegapixel: detector.millisecondsPerMegapixel,
    sets: sets.map(({ name, photos, categories, painted }) => ({
      name,
      photos,
      categories: Object.fromEntries(
        CATEGORIES.flatMap((category) => {
          const usual = categories[category]?.usual;
          if (usual === undefined) return [];
          const { targets, coverage: covered, falsePerPhoto } = usual;
          const { painted: share, paintedToFound } = painted[category] ?? {};
          return [[category, { targets, covered, painted: share, paintedToFound, falsePerPhoto }] as const];
        }),
      ),
    })),
    presence: Object.fromEntries(
      CATEGORIES.flatMap((category) => {
        const found = presence[category];
        return found === undefined ? [] : [[category, { photos: found.photos, share: found.share }] as const];
      }),
    ),
  };
}

/** JSON with one line per category and numbers rounded to four decimals. */
export function summaryText(report: object): string {
  const text = JSON.stringify(report, roundNumber, 2);
  const lines = text.replaceAll(
    /\{\n\s+("(?:targets|photos)": [^{}[\]]+?)\n\s+\}/g,
    (_, fields: string) => `{ ${fields.replaceAll(/\n\s+/g, " ")} }`,
  );
  return `${lines}\n`;
}

/** Rounds a JSON number to four decimals. */
export function roundNumber(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value;
}
