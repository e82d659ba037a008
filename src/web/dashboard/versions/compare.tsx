import type { HiddenThing } from "./versions.data.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { Film } from "../parts/film.tsx";
import { shownName } from "../parts/format.tsx";
import { DRAWN_BY_HAND, HiddenTimes } from "../parts/hidden-times.tsx";

/** The redacted file over its original, as long as that is kept, with boxes around detections. */
export function Compare({
  row,
  path,
  sourcePath,
  detections,
}: {
  row: MediaRow;
  path: string;
  /** The address of the original, while it is kept. */
  sourcePath: string | undefined;
  /** Undefined if no detections were stored. */
  detections: readonly HiddenThing[] | undefined;
}) {
  if (row.mediaType === "video")
    return (
      <div class="compare">
        <Film row={row} shown={{ resultPath: `${path}/output`, sourcePath }} />
        <HiddenTimes row={row} path={path} />
      </div>
    );
  return (
    <div class="compare" data-compare={sourcePath === undefined ? undefined : ""}>
      <div class="views" data-picture>
        {sourcePath !== undefined && (
          <figure class="before original">
            <div class="picture">
              <img src={sourcePath} alt="Original picture" />
              <Boxes detections={detections ?? []} />
            </div>
            <figcaption>Original</figcaption>
          </figure>
        )}
        <figure>
          <div class="picture">
            <img src={`${path}/output`} alt="Redacted picture" />
            <Boxes detections={detections ?? []} />
          </div>
          <figcaption>Redacted</figcaption>
        </figure>
      </div>
      {sourcePath !== undefined && (
        <p class="slider" hidden>
          <span aria-hidden="true">Redacted</span>
          <input
            id="share"
            type="range"
            min="0"
            max="100"
            value="0"
            autocomplete="off"
            aria-describedby="share-help"
          />
          <label for="share">Original</label>
          <span class="unseen" id="share-help">
            Share of the width that shows the original
          </span>
        </p>
      )}
      <div class="zoom">
        <ZoomSteps />
        <a class="button" href={`${path}/output`} target="_blank">
          Full size
          <span class="unseen"> (opens a new tab)</span>
        </a>
      </div>
      {detections !== undefined && <Found detections={detections} />}
    </div>
  );
}

/** The buttons that make pictures larger and smaller; a script shows them. */
export function ZoomSteps() {
  return (
    <span class="zoom-steps" hidden>
      <button type="button" data-zoom="out" aria-label="Zoom out">
        −
      </button>
      <output aria-label="Zoom">100%</output>
      <button type="button" data-zoom="in" aria-label="Zoom in">
        +
      </button>
      <button type="button" data-zoom="fit">
        Fit
      </button>
    </span>
  );
}

function Boxes({ detections }: { detections: readonly HiddenThing[] }) {
  return (
    <svg class="boxes" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      {largestFirst(named(detections)).map(({ key, name, group, box: [x, y, width, height] }) => (
        <g class="off" data-category={group} data-thing={key}>
          <title>{name}</title>
          <rect class="edge" x={x} y={y} width={width} height={height} />
          <rect x={x} y={y} width={width} height={height} />
        </g>
      ))}
    </svg>
  );
}

/** A mask with its name on the page. Those of a category are numbered by confidence. */
interface NamedThing extends Pick<HiddenThing, "box"> {
  readonly group: RedactionCategory | typeof DRAWN;
  readonly key: string;
  readonly name: string;
}

/** The label of masks that a person drew. */
const DRAWN = "drawn";

function groupName(group: NamedThing["group"]): string {
  return group === DRAWN ? DRAWN_BY_HAND : shownName(group);
}

function named(detections: readonly HiddenThing[]): NamedThing[] {
  const counts = new Map<string, number>();
  return detections
    .toSorted((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0))
    .map((thing) => {
      const { box, confidence } = thing;
      // A drawn mask is not a detection, even if it has a category.
      const group = thing.category === null || confidence === null ? DRAWN : thing.category;
      const number = (counts.get(group) ?? 0) + 1;
      counts.set(group, number);
      const sure = confidence === null ? "" : `, ${Math.round(confidence * 100)}%`;
      return { box, group, key: `${group}-${number}`, name: `${groupName(group)} ${number}${sure}` };
    });
}

/** Small boxes are drawn last, so that the pointer finds them inside large ones. */
function largestFirst(things: readonly NamedThing[]): NamedThing[] {
  return things.toSorted((a, b) => areaOf(b) - areaOf(a));
}

function areaOf({ box: [, , width, height] }: Pick<HiddenThing, "box">): number {
  return width * height;
}

/** The detections by category. With scripts, the boxes of each category can be shown, and each detection highlights its box. */
function Found({ detections }: { detections: readonly HiddenThing[] }) {
  const byCategory = Map.groupBy(named(detections), ({ group }) => group);
  if (byCategory.size === 0) return <p class="soft">Nothing was found in the chosen categories.</p>;
  return (
    <fieldset class="found">
      <legend>Show what was found</legend>
      <div class="choices">
        {[...byCategory].map(([group, things]) => (
          <label>
            <input type="checkbox" data-boxes={group} autocomplete="off" />
            {`${groupName(group)} `}
            <strong>{things.length}</strong>
          </label>
        ))}
        <label class="labels" hidden>
          <input type="checkbox" data-labels />
          Labels
        </label>
      </div>
      <details>
        <summary>One by one</summary>
        <ul class="things">
          {[...byCategory.values()].flat().map(({ key, name }) => (
            <li>
              <button type="button" data-thing={key} aria-pressed="false">
                {name}
              </button>
            </li>
          ))}
        </ul>
      </details>
    </fieldset>
  );
}
