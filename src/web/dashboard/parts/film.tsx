import type { MediaRow } from "../../../records/media/media.repository.ts";
import { Transport } from "./transport.tsx";

/** The files of a video that its page shows. */
interface ShownFilm {
  /** Undefined before there is a result. */
  readonly resultPath: string | undefined;
  /** Undefined if the original is deleted. */
  readonly sourcePath: string | undefined;
}

/**
 * A video's result beside its original, with one set of controls for both. Before there is a result, a script draws the planned masks over
 * the original. Without scripts, each player has the browser's controls.
 */
export function Film({ row, shown: { resultPath, sourcePath } }: { row: MediaRow; shown: ShownFilm }) {
  const isCompared = resultPath !== undefined && sourcePath !== undefined;
  return (
    <div class="film" data-film-player data-duration={String(row.durationSeconds ?? 0)}>
      <div class="views">
        {isCompared && (
          <figure class="original">
            <video src={sourcePath} controls preload="metadata" playsinline />
            <figcaption>Original</figcaption>
          </figure>
        )}
        <figure>
          <div class="review-film">
            <video
              class="review-picture"
              src={resultPath ?? sourcePath}
              controls
              // In full screen, the browser would show the video without the masks drawn over it.
              controlslist={resultPath === undefined ? "nofullscreen" : undefined}
              preload="metadata"
              playsinline
            />
            {resultPath === undefined && (
              <svg
                class="review-masks"
                viewBox="0 0 1 1"
                preserveAspectRatio="none"
                aria-hidden="true"
                data-masks
              />
            )}
          </div>
          {resultPath !== undefined && <figcaption>Redacted</figcaption>}
        </figure>
      </div>
      <div data-film-controls hidden>
        <Transport>
          <button
            type="button"
            data-action="sound"
            aria-keyshortcuts="M"
            title="Turn the sound off or on (M)"
          >
            Turn sound off
          </button>
          <button type="button" data-action="fullScreen" hidden>
            Full screen
          </button>
          {isCompared && (
            <label>
              <input type="checkbox" data-show-original checked autocomplete="off" />
              Show the original
            </label>
          )}
        </Transport>
        <p class="fault" role="status" data-film-fault />
      </div>
    </div>
  );
}
