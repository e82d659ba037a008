import type { Track } from "../../src/video/tracks/track.ts";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { Photo } from "./labels.ts";

/** How often something is hidden in videos that do not show it. */
export interface VideoPresence {
  readonly category: Category;
  /** Filmed photos on which a person looked for it and did not see it. */
  readonly films: number;
  /** Share of them in which any of it is hidden. */
  readonly share: number;
  /** Tracks in each of them. */
  readonly tracks: number;
}

/** A photo that a camera went across, and what was found. */
export interface TrackedFilm {
  readonly photo: Pick<Photo, "absent">;
  readonly tracks: readonly Pick<Track, "category">[];
}

/** Presence in films, of each category that some of them are certainly without. */
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
