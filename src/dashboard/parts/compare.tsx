import type { HiddenThing } from "../data/hidden-things.data.ts";
import type { MediaRow } from "../../media/media.repository.ts";
import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import { shownName } from "./format.tsx";

/** The redacted file, over its original while that is kept, with boxes around what was found. */
export function Compare({
  row,
  path,
  sourcePath,
  detections,
}: {
  row: MediaRow;
  path: string;
  /** Where the original is, while it is kept. */
  sourcePath: string | undefined;
  /** Undefined where nothing was kept of what was found. */
  detections: readonly HiddenThing[] | undefined;
}) {
  if (row.mediaType === "video") return <Videos path={path} sourcePath={sourcePath} />;
  return (
    <div class="compare" data-compare={sourcePath === undefined ? undefined : ""}>
      <div class="views">
        <figure>
          <div class="picture">
            <img src={`${path}/output`} alt="Redacted picture" />
            <Boxes detections={detections ?? []} />
          </div>
          <figcaption>Redacted</figcaption>
        </figure>
        {sourcePath !== undefined && (
          <figure class="before">
            <div class="picture">
              <img src={sourcePath} alt="Original picture" />
              <Boxes detections={detections ?? []} />
            </div>
            <figcaption>Original</figcaption>
          </figure>
        )}
      </div>
      {sourcePath !== undefined && (
        <p class="slider" hidden>
          <label for="share">Original</label>
          <input id="share" type="range" min="0" max="100" value="50" aria-describedby="share-help" />
          <span aria-hidden="true">Redacted</span>
          <span class="unseen" id="share-help">
            Share of the width that shows the original
          </span>
        </p>
      )}
      {detections !== undefined && <Found detections={detections} />}
    </div>
  );
}

function Videos({ path, sourcePath }: { path: string; sourcePath: string | undefined }) {
  return (
    <div class="compare" data-together>
      <div class="views">
        <figure>
          <video src={`${path}/output`} controls preload="metadata" />
          <figcaption>Redacted</figcaption>
        </figure>
        {sourcePath !== undefined && (
          <figure>
            <video src={sourcePath} controls preload="metadata" />
            <figcaption>Original</figcaption>
          </figure>
        )}
      </div>
    </div>
  );
}

function Boxes({ detections }: { detections: readonly HiddenThing[] }) {
  return (
    <svg class="boxes" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {largestFirst(detections).map(({ category, box: [x, y, width, height], confidence }) => (
        <g data-category={category}>
          <title>{`${shownName(category)}, ${Math.round(confidence * 100)}%`}</title>
          <rect class="edge" x={x} y={y} width={width} height={height} />
          <rect x={x} y={y} width={width} height={height} />
        </g>
      ))}
    </svg>
  );
}

/** What is drawn later lies above, so that the pointer finds a small box inside a large one. */
function largestFirst(detections: readonly HiddenThing[]): HiddenThing[] {
  return detections.toSorted((a, b) => areaOf(b) - areaOf(a));
}

function areaOf({ box: [, , width, height] }: HiddenThing): number {
  return width * height;
}

/** How many things of each category were found; each can be hidden where scripts run. */
function Found({ detections }: { detections: readonly HiddenThing[] }) {
  const counts = new Map<RedactionCategory, number>();
  for (const { category } of detections) counts.set(category, (counts.get(category) ?? 0) + 1);
  if (counts.size === 0) return <p class="soft">Nothing was found in the chosen categories.</p>;
  return (
    <fieldset class="found">
      <legend>What was found</legend>
      <div class="choices">
        {[...counts].map(([category, count]) => (
          <label>
            <input type="checkbox" data-boxes={category} checked />
            {`${shownName(category)} `}
            <strong>{count}</strong>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
