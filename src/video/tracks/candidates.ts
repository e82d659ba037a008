import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import type { Track } from "./track.ts";

/** Listed of each category; more would be looked at by nobody. */
const MOST_OF_A_CATEGORY = 200;
/** Numbers of tracks that are hidden stay below, and those of regions that were asked for stay above. */
const FIRST_ID = 500_000_000;

/** The surest tracks that are left open, of each category, while ever more of them come. */
export class Candidates {
  readonly #byCategory = new Map<RedactionCategory, Track[]>();
  #isTruncated = false;

  /** Whether some were left out. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Takes more of them. */
  add(tracks: readonly Track[]): void {
    for (const track of tracks) {
      const known = this.#byCategory.get(track.category) ?? [];
      this.#byCategory.set(track.category, known);
      known.push(track);
      if (known.length > 2 * MOST_OF_A_CATEGORY) this.#leaveOut(known);
    }
  }

  /** Those that are listed: the surest of each category first, under numbers and names of their own. */
  take(nameOf: (index: number) => string): Track[] {
    const all = [...this.#byCategory.values()];
    for (const known of all) this.#leaveOut(known);
    return all.flat().map(({ category, confidence, points }, index) => {
      return { id: FIRST_ID + index, name: nameOf(index), category, confidence, points };
    });
  }

  #leaveOut(known: Track[]): void {
    known.sort((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0));
    if (known.length <= MOST_OF_A_CATEGORY) return;
    this.#isTruncated = true;
    known.length = MOST_OF_A_CATEGORY;
  }
}
