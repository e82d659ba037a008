import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import type { Track } from "./track.ts";

/** The most candidates listed per category. Nobody would review more. */
const MOST_OF_A_CATEGORY = 200;
/** First numeric ID of candidates. Hidden tracks have lower numbers, and requested regions have higher ones. */
const FIRST_ID = 500_000_000;

/** Collects candidates and keeps the most confident ones of each category. */
export class Candidates {
  readonly #byCategory = new Map<RedactionCategory, Track[]>();
  #isTruncated = false;

  /** Whether some were left out. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Adds candidates. */
  add(tracks: readonly Track[]): void {
    for (const track of tracks) {
      const known = this.#byCategory.get(track.category) ?? [];
      this.#byCategory.set(track.category, known);
      known.push(track);
      if (known.length > 2 * MOST_OF_A_CATEGORY) this.#leaveOut(known);
    }
  }

  /** Returns the listed candidates, the most confident of each category first, with numbers and IDs of their own. */
  take(nameOf: (index: number) => string): Track[] {
    const all = [...this.#byCategory.values()];
    for (const known of all) this.#leaveOut(known);
    return all.flat().map(({ category, confidence, seen, points }, index) => {
      return { id: FIRST_ID + index, name: nameOf(index), category, confidence, seen, points };
    });
  }

  #leaveOut(known: Track[]): void {
    known.sort((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0));
    if (known.length <= MOST_OF_A_CATEGORY) return;
    this.#isTruncated = true;
    known.length = MOST_OF_A_CATEGORY;
  }
}
