import type { MediaRow } from "../../../records/media/media.repository.ts";
import { shownName } from "./format.tsx";

/** The name of masks that a person drew. */
export const DRAWN_BY_HAND = "Drawn by hand";

/** The times at which something is hidden in a video, with a timeline per category. Its script fills it, and the player can jump there. */
export function HiddenTimes({ row, path }: { row: MediaRow; path: string }) {
  return (
    <section
      class="times"
      aria-label="When something is hidden"
      data-times={`${path}/edit/detections`}
      hidden
    >
      <h2>When something is hidden</h2>
      {[...row.categories, ""].map((category) => (
        <div class="time-row" data-category={category} hidden>
          <h3>{category === "" ? DRAWN_BY_HAND : shownName(category)}</h3>
          <div class="strip" aria-hidden="true">
            <span class="playhead" />
          </div>
          <p class="strip-ends" aria-hidden="true">
            <span>0:00.0</span>
            <span data-end />
          </p>
          <ul class="things" />
        </div>
      ))}
      <p class="soft" role="status" />
    </section>
  );
}
