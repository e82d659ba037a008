import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import {
  averagePrecision,
  bestThreshold,
  FEWEST_OF_A_SOURCE,
  figuresAt,
  type CategoryFigures,
} from "./figures.ts";
import { judge, type PhotoOutcome } from "./judge.ts";
import type { Photo } from "./labels.ts";
import type { Look, Looks } from "./looks.ts";
import { paintedFigures, type PaintedFigures } from "./painted-figures.ts";
import { paint } from "./painted.ts";
import { presenceOn, type Presence } from "./presence.ts";
import type { LabelledSet } from "./sets.ts";
import type { ServedModels } from "./service.ts";

/** The figures of one detector on the photos of one set, under the set's labels. */
export interface SetReport {
  readonly name: string;
  readonly photos: number;
  readonly categories: Partial<Record<Category, CategoryFigures>>;
  readonly painted: Partial<Record<Category, PaintedFigures>>;
}

export interface DetectorReport {
  readonly name: string;
  readonly models: ServedModels["models"];
  /** Median time of a request for every served category, over photos, with one request at a time. */
  readonly millisecondsPerMegapixel: number;
  readonly millisecondsPerPhoto: number;
  readonly sets: readonly SetReport[];
  readonly presence: Partial<Record<Category, Presence>>;
}

/** Compares one detector's answers with the labels of some sets. */
export function evaluate(name: string, looks: Looks, sets: readonly LabelledSet[]): DetectorReport {
  const photos = [...new Map(sets.flatMap((set) => set.photos).map((photo) => [photo.path, photo])).values()];
  const times = photos.flatMap(({ path, width, height }) => {
    const look = looks.byPath.get(path);
    return look === undefined
      ? []
      : [{ total: look.milliseconds, perMegapixel: look.milliseconds / ((width * height) / 1e6) }];
  });
  const reports = sets.map((set) => reportOn(set, looks));
  const measured = new Set(reports.flatMap(({ categories }) => Object.keys(categories)));
  const presence = presenceOn(
    sets.flatMap((set) => set.photos),
    looks,
  );
  return {
    name,
    models: looks.served.models.filter((model) =>
      model.categories.some((category) => measured.has(category) || presence[category] !== undefined),
    ),
    millisecondsPerMegapixel: median(times.map(({ perMegapixel }) => perMegapixel)),
    millisecondsPerPhoto: median(times.map(({ total }) => total)),
    sets: reports,
    presence,
  };
}

function reportOn({ name, photos }: LabelledSet, { served, byPath }: Looks): SetReport {
  const categories = CATEGORIES.filter((category) => served.categories.includes(category));
  const looked = photos.flatMap((photo) => {
    const look = byPath.get(photo.path);
    return look === undefined ? [] : [{ photo, look }];
  });
  const figures = categories.flatMap((category) => {
    const found = figuresOf(outcomesOf(looked, category, "all"), outcomesOf(looked, category, "usual"));
    return found === undefined ? [] : [[category, found] as const];
  });
  const painted = categories.flatMap((category) => {
    const outcomes = looked.flatMap(({ photo, look }) => paint(photo, category, look.usual) ?? []);
    const found = paintedFigures(outcomes, {
      isEllipse: category === "heads",
      leastOfSource: FEWEST_OF_A_SOURCE,
    });
    return found === undefined ? [] : [[category, found] as const];
  });
  return {
    name,
    photos: photos.length,
    categories: Object.fromEntries(figures),
    painted: Object.fromEntries(painted),
  };
}

function outcomesOf(
  looked: readonly { photo: Photo; look: Look }[],
  category: Category,
  which: "all" | "usual",
): PhotoOutcome[] {
  return looked.flatMap(({ photo, look }) => {
    const found: readonly Detection[] = look[which];
    return judge(photo, category, found) ?? [];
  });
}

function figuresOf(
  all: readonly PhotoOutcome[],
  usual: readonly PhotoOutcome[],
): CategoryFigures | undefined {
  const hasTargets = all.some(({ targets, isUnplaced }) => targets.length > 0 || isUnplaced);
  if (!hasTargets) return undefined;
  const threshold = bestThreshold(all);
  return {
    photosComplete: all.filter(({ isComplete }) => isComplete).length,
    ap50: averagePrecision(all),
    usual: { threshold: undefined, ...figuresAt(usual, 0) },
    best: { threshold, ...figuresAt(all, threshold) },
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
