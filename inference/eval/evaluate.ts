import { CATEGORIES } from "../src/categories.ts";
import type { Category } from "../src/categories.ts";
import { averagePrecision, bestThreshold, figuresAt } from "./figures.ts";
import type { CategoryFigures } from "./figures.ts";
import { judge } from "./judge.ts";
import type { PhotoOutcome } from "./judge.ts";
import type { LabelledSet, Photo } from "./labels.ts";
import { EvaluatedService } from "./service.ts";
import type { ServedModels } from "./service.ts";

/** Requests under way while everything is looked for; times are taken one request after the other. */
const REQUESTS_AT_ONCE = 2;

export interface DetectorSpec {
  name: string;
  /** Value of MODELS; undefined for what the service takes by itself. */
  models: string | undefined;
}

export interface DetectorReport {
  name: string;
  models: ServedModels["models"];
  /** Median over photos, one request after the other, of a request for every category served. */
  millisecondsPerMegapixel: number;
  millisecondsPerPhoto: number;
  categories: Partial<Record<Category, CategoryFigures>>;
}

/** Runs one detector over sets of labelled photos. */
export async function evaluateDetector(
  spec: DetectorSpec,
  sets: readonly LabelledSet[],
  onProgress: (text: string) => void,
): Promise<DetectorReport> {
  const service = await EvaluatedService.start(spec.models);
  try {
    const { served } = service;
    const photos = sets.flatMap((set) => set.photos);
    const all = new Map<Category, PhotoOutcome[]>();
    const usual = new Map<Category, PhotoOutcome[]>();
    await forEach(photos, REQUESTS_AT_ONCE, async (photo, index) => {
      const found = await service.findAll(photo.path, askedOf(photo, served.categories));
      collect(all, photo, served.categories, found);
      if (index % 100 === 99) onProgress(`${spec.name}: ${index + 1} of ${photos.length} photos`);
    });
    const times: { perMegapixel: number; total: number }[] = [];
    for (const photo of photos) {
      const { found, milliseconds } = await service.findUsual(photo.path, served.categories);
      collect(usual, photo, served.categories, found);
      times.push({
        perMegapixel: milliseconds / ((photo.width * photo.height) / 1e6),
        total: milliseconds,
      });
    }
    return {
      name: spec.name,
      models: served.models.filter((model) => model.categories.some((name) => all.has(name))),
      millisecondsPerMegapixel: median(times.map(({ perMegapixel }) => perMegapixel)),
      millisecondsPerPhoto: median(times.map(({ total }) => total)),
      categories: Object.fromEntries(
        CATEGORIES.flatMap((category) => {
          const figures = figuresOf(all.get(category) ?? [], usual.get(category) ?? []);
          return figures === undefined ? [] : [[category, figures] as const];
        }),
      ),
    };
  } finally {
    await service.stop();
  }
}

/** What a photo says anything about. */
const askedOf = (photo: Photo, served: readonly Category[]): readonly Category[] => {
  const noted = new Set([
    ...photo.completeFor,
    ...photo.unplaced,
    ...photo.labels.map(({ category }) => category),
  ]);
  const cards: readonly Category[] = ["id_cards", "passports", "credit_cards"];
  const asked = served.filter(
    (category) => noted.has(category) || (cards.includes(category) && cards.some((card) => noted.has(card))),
  );
  return asked.length > 0 ? asked : served;
};

const collect = (
  outcomes: Map<Category, PhotoOutcome[]>,
  photo: Photo,
  served: readonly Category[],
  found: Parameters<typeof judge>[2],
): void => {
  for (const category of served) {
    const outcome = judge(photo, category, found);
    if (outcome !== undefined) outcomes.set(category, [...(outcomes.get(category) ?? []), outcome]);
  }
};

const figuresOf = (
  all: readonly PhotoOutcome[],
  usual: readonly PhotoOutcome[],
): CategoryFigures | undefined => {
  const hasTargets = all.some(({ targets, isUnplaced }) => targets.length > 0 || isUnplaced);
  if (!hasTargets) return undefined;
  const threshold = bestThreshold(all);
  return {
    photosComplete: all.filter(({ isComplete }) => isComplete).length,
    ap50: averagePrecision(all),
    usual: { threshold: undefined, ...figuresAt(usual, 0) },
    best: { threshold, ...figuresAt(all, threshold) },
  };
};

const forEach = async <T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> => {
  const entries = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, item] of entries) await work(item, index);
    }),
  );
};

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};
