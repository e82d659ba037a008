import type { Child } from "hono/jsx";
import { raw } from "hono/html";
import { REDACTION_CATEGORIES } from "../../vocabulary/media-values.ts";
import { Moment, shownName } from "./format.tsx";
import { Page, type EditorName } from "./layout.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

const CATEGORY_NAMES = Object.fromEntries(REDACTION_CATEGORIES.map((name) => [name, shownName(name)]));

/** Something that a press and a drag over the picture do. */
export interface Tool {
  readonly value: string;
  readonly name: string;
  readonly hint: string;
}

/** The page of an editor; without the original there is nothing to edit. */
export function EditorFrame({
  viewer,
  title,
  mediaId,
  editor,
  isSourceKept,
  children,
}: {
  viewer: Viewer;
  title: string;
  mediaId: string;
  editor: EditorName;
  isSourceKept: boolean;
  children?: Child;
}) {
  const back = (
    <a class="button" href={`${DASHBOARD_PATH}/media/${mediaId}`}>
      Back without applying
    </a>
  );
  return (
    <Page viewer={viewer} title={`Edit ${title}`} section="Media" actions={back} editor={editor}>
      {isSourceKept ? (
        children
      ) : (
        <section class="panel">
          <p>The original is no longer kept, so this file cannot be edited. Upload it again.</p>
        </section>
      )}
    </Page>
  );
}

/** What a page says to its scripts, which add what categories are called. */
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

/** What is hidden, the button that applies it, and the keys. */
export function HiddenPanel({
  hasThresholds,
  sourceUntilMs,
  keys,
  children,
}: {
  hasThresholds: boolean;
  sourceUntilMs: number;
  keys: readonly (readonly [keys: string, what: string])[];
  children?: Child;
}) {
  return (
    <section class="panel" aria-label="What is hidden">
      {hasThresholds && <Sensitivity />}
      <div class="things-list" />
      {children}
      <p class="soft" role="status" data-editor-status />
      <button class="primary" type="button" data-apply disabled>
        Apply
      </button>
      <p class="hint">
        {"Applying makes a new file and keeps this one. Possible until "}
        <Moment ms={sourceUntilMs} />.
      </p>
      <details>
        <summary>Keys</summary>
        <dl class="keys" id="editor-keys">
          {keys.map(([pressed, what]) => (
            <div>
              <dt>{pressed}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

/** What stands over the picture. */
export function Toolbar({ tools, children }: { tools: readonly Tool[]; children?: Child }) {
  return (
    <div class="toolbar">
      <fieldset class="tools">
        <legend class="unseen">Tool</legend>
        {tools.map(({ value, name, hint }) => (
          <label title={hint}>
            <input type="radio" name="tool" value={value} checked={value === "select"} />
            {name}
          </label>
        ))}
      </fieldset>
      {children}
      <button class="plain" type="button" data-undo disabled>
        Undo
      </button>
      <button class="plain" type="button" data-redo disabled>
        Redo
      </button>
      <span class="zoom">
        <button class="plain" type="button" data-zoom-out aria-label="Zoom out">
          −
        </button>
        <button class="plain" type="button" data-zoom-fit title="Fit the picture">
          <span data-zoom>100%</span>
        </button>
        <button class="plain" type="button" data-zoom-in aria-label="Zoom in">
          +
        </button>
      </span>
      <label>
        <input type="checkbox" data-preview />
        Preview
      </label>
    </div>
  );
}

function Sensitivity() {
  return (
    <div class="field">
      <label for="sensitivity">Sensitivity</label>
      <input
        id="sensitivity"
        type="range"
        min="0"
        max="2"
        step="1"
        value="1"
        data-sensitivity
        aria-describedby="sensitivity-hint"
        aria-valuetext="normal"
      />
      <p class="hint" id="sensitivity-hint">
        Low hides only sure detections; high also hides doubtful ones. Current:{" "}
        <strong data-sensitivity-said>normal</strong>
      </p>
    </div>
  );
}
