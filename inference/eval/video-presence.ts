import type { Track } from "../../src/work/video/tracks/track.ts";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { Photo } from "./labels.ts";

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
