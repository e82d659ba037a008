import type { MediaRow } from "../../../records/media/media.repository.ts";
import { Transport } from "./transport.tsx";

/** The files of a film that its page shows. */
interface ShownFilm {
  /** Undefined before there is a result. */
  readonly resultPath: string | undefined;
  /** Undefined where the original is gone. */
  readonly sourcePath: string | undefined;
}

/**
 * A film's result beside its original, with one set of controls for both; before there is a result, the original with what will be
 * hidden drawn over it by a script. Without scripts each player keeps the controls of the browser.
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
