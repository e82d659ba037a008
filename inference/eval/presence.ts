import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { Looks } from "./looks.ts";
import type { Photo } from "./labels.ts";
import type { Track } from "../../src/work/video/tracks/track.ts";

/** Of the photos that certainly lack a category, the largest share in which it may be found. */
const LIMITS: Partial<Record<Category, number>> = {
  heads: 0.06,
  license_plates: 0.03,
  screens: 0.06,
  street_signs: 0.04,
  id_cards: 0.02,
  passports: 0.02,
  credit_cards: 0.02,
  name_badges: 0.02,
  qr_codes: 0.02,
  barcodes: 0.02,
  documents: 0.04,
  tattoos: 0.04,
};

/** How often a category is found in photos in which a person looked for it and did not see it. */
export interface Presence {
  readonly photos: number;
  /** Share of these photos with a detection at the service's own thresholds. */
  readonly share: number;
  readonly limit: number | undefined;
  /** The lowest threshold, in steps of 0.01, that stays within the limit. 1 if none does. */
  readonly thresholdAtLimit: number | undefined;
  /** Share of these photos with a detection of at least each of these confidences. */
  readonly shareFrom: Readonly<Record<string, number>>;
}

const CONFIDENCES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;

/** Presence of each served category that at least one photo certainly lacks. */
export function presenceOn(
  photos: readonly Photo[],
  { served, byPath }: Looks,
): Partial<Record<Category, Presence>> {
  const found = CATEGORIES.filter((category) => served.categories.includes(category)).flatMap((category) => {
    const looks = photos
      .filter(({ absent }) => absent.has(category))
      .flatMap(({ path }) => byPath.get(path) ?? []);
    if (looks.length === 0) return [];
    const isFound = looks.map(({ usual }) => usual.some((one) => one.category === category));
    const surest = looks.map(({ all }) =>
      Math.max(0, ...all.filter((one) => one.category === category).map(({ confidence }) => confidence)),
    );
    const limit = LIMITS[category];
    const presence: Presence = {
      photos: looks.length,
      share: isFound.filter(Boolean).length / looks.length,
      limit,
      thresholdAtLimit: limit === undefined ? undefined : thresholdAt(limit, surest),
      shareFrom: Object.fromEntries(CONFIDENCES.map((from) => [from.toFixed(1), shareFrom(from, surest)])),
    };
    return [[category, presence] as const];
  });
  return Object.fromEntries(found);
}

function shareFrom(confidence: number, surest: readonly number[]): number {
  return surest.filter((value) => value >= confidence).length / surest.length;
}

function thresholdAt(limit: number, surest: readonly number[]): number {
  for (let step = 1; step < 100; step += 1) if (shareFrom(step / 100, surest) <= limit) return step / 100;
  return 1;
}

/** How often a category is hidden in videos that do not show it. */
export interface VideoPresence {
  readonly category: Category;
  /** Number of filmed photos in which a person looked for the category and did not see it. */
  readonly films: number;
  /** Share of these films in which any of it is hidden. */
  readonly share: number;
  /** Mean number of tracks per film. */
  readonly tracks: number;
}

/** A filmed photo and the tracks found in it. */
export interface TrackedFilm {
  readonly photo: Pick<Photo, "absent">;
  readonly tracks: readonly Pick<Track, "category">[];
}

/** Presence in films, for each category that at least one film certainly lacks. */
export function presenceInFilms(films: readonly TrackedFilm[]): VideoPresence[] {
  return CATEGORIES.flatMap((category) => {
    const counts = films
      .filter(({ photo }) => photo.absent.has(category))
      .map(({ tracks }) => tracks.filter((track) => track.category === category).length);
    if (counts.length === 0) return [];
    return {
      category,
      films: counts.length,
      share: counts.filter((count) => count > 0).length / counts.length,
      tracks: counts.reduce((sum, count) => sum + count, 0) / counts.length,
    };
  });
}
