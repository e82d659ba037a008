import type { Child } from "hono/jsx";
import { raw } from "hono/html";
import { REDACTION_CATEGORIES } from "../../../ground/vocabulary/categories.ts";
import { shownName } from "./format.tsx";
import { Icon } from "./icons.tsx";

const CATEGORY_NAMES = Object.fromEntries(REDACTION_CATEGORIES.map((name) => [name, shownName(name)]));

/** A tool for presses and drags over the picture. */
export interface Tool {
  readonly value: string;
  readonly name: string;
  readonly hint: string;
  /** A line beside its name; absent if the name is enough. */
  readonly note?: string;
}

/** A keyboard shortcut: its keys, and its effect. */
export type Keys = readonly (readonly [pressed: string, what: string])[];

/** The tools of a photo's editor. */
export const PHOTO_TOOLS: readonly Tool[] = [
  {
    value: "select",
    name: "Select",
    hint: "Click a shape to hide it or show it. Drag to move the picture.",
  },
  { value: "box", name: "Box", hint: "Drag to draw a rectangle over what to hide." },
  { value: "ellipse", name: "Ellipse", hint: "Drag to draw an ellipse over what to hide." },
];

/** The data that a page passes to its scripts, with the names of categories. */
export function EditorFacts({ facts }: { facts: object }) {
  const text = JSON.stringify({ ...facts, categoryNames: CATEGORY_NAMES }).replaceAll("<", "\\u003c");
  return (
    <>
      <script type="application/json" data-editor-data>
        {raw(text)}
      </script>
      <noscript>
        <p class="notice">The editor needs JavaScript. Without it, use the API or the command line.</p>
      </noscript>
    </>
  );
}

/** The toolbar over the picture, and under it the hints and settings of the chosen tool. */
export function Toolbar({
  tools,
  views,
  children,
}: {
  tools: readonly Tool[];
  /** Further switches for the display of the picture. */
  views?: Child;
  children?: Child;
}) {
  return (
    <div class="toolbar">
      <fieldset class="tools">
        <legend class="unseen">Tool</legend>
        {tools.map(({ value, name, hint, note }) => (
          <label title={hint}>
            <input
              type="radio"
              name="tool"
              value={value}
              checked={value === "select"}
              data-hint={hint}
              aria-label={note === undefined ? undefined : name}
              aria-describedby={note === undefined ? undefined : `tool-${value}`}
            />
            {name}
            {note !== undefined && <small id={`tool-${value}`}>{note}</small>}
          </label>
        ))}
      </fieldset>
      <span class="joined-buttons">
        <button type="button" data-undo disabled aria-label="Undo" title="Undo (Ctrl Z)">
          <Icon name="undo" />
        </button>
        <button type="button" data-redo disabled aria-label="Redo" title="Redo (Ctrl Shift Z)">
          <Icon name="redo" />
        </button>
      </span>
      <span class="joined-buttons">
        <button type="button" data-zoom-out aria-label="Zoom out" title="Zoom out (−)">
          −
        </button>
        <button type="button" data-zoom-fit title="Fit the picture (0)">
          <span data-zoom>100%</span>
        </button>
        <button type="button" data-zoom-in aria-label="Zoom in" title="Zoom in (+)">
          +
        </button>
      </span>
      <label class="toggle" title="Show what will be painted">
        <input type="checkbox" data-preview />
        <Icon name="eye" />
        <span>Preview</span>
      </label>
      {views}
      <div class="tool-options">
        <p class="hint" data-tool-hint>
          {tools[0]?.hint}
        </p>
        {children}
      </div>
    </div>
  );
}

/** The picture, over which scripts draw detections. */
export function Stage({
  size: { width, height },
  label,
  keysId,
  source,
  children,
}: {
  size: { readonly width: number; readonly height: number };
  label: string;
  /** The list of keys that describes it. */
  keysId: string;
  /** A photo's address; undefined if there is a video under the stage. */
  source?: string;
  /** Content on top of the shapes. */
  children?: Child;
}) {
  return (
    <svg
      class="stage"
      data-tool="select"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      tabindex={0}
      role="group"
      aria-label={label}
      aria-describedby={keysId}
    >
      {source !== undefined && <image href={source} width={width} height={height} />}
      <g class="things" />
      {children}
    </svg>
  );
}

/** The legend of the outlines over the picture. */
export function Legend() {
  return (
    <ul class="legend" aria-label="What the outlines mean">
      <li>
        <span class="sample hidden-sample" aria-hidden="true" />
        Solid: hidden
      </li>
      <li>
        <span class="sample" aria-hidden="true" />
        Dotted: stays visible
      </li>
    </ul>
  );
}

/** The keyboard shortcuts. */
export function KeyList({ id, keys }: { id: string; keys: Keys }) {
  return (
    <dl class="keys" id={id}>
      {keys.map(([pressed, what]) => (
        <div>
          <dt>{pressed}</dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
