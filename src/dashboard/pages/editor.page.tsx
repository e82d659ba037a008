import { raw } from "hono/html";
import type { EditorData } from "../data/editor.data.ts";
import { REDACTION_CATEGORIES } from "../../vocabulary/media-values.ts";
import { Moment, shownName } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/media`;

const CATEGORY_NAMES = Object.fromEntries(REDACTION_CATEGORIES.map((name) => [name, shownName(name)]));

const TOOLS = [
  { value: "select", name: "Select", hint: "Click what was found to hide it or show it" },
  { value: "box", name: "Box", hint: "Drag to hide a rectangle" },
  { value: "ellipse", name: "Ellipse", hint: "Drag to hide an ellipse" },
] as const;

const KEYS = [
  ["Tab", "next thing in the picture"],
  ["Space", "hide or show it"],
  ["B, E", "add a box, an ellipse"],
  ["Arrows", "move a region, or the picture; faster with Shift"],
  ["[ ]", "make a region smaller, larger"],
  ["Delete", "remove a region"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo"],
] as const;

/** The photo with everything that was found in it, to be corrected. */
export function EditorPage({
  viewer,
  title,
  mediaId,
  sourcePath,
  sourceUntilMs,
  data,
}: {
  viewer: Viewer;
  title: string;
  mediaId: string;
  sourcePath: string;
  /** Until when the original can be used; null when it is gone. */
  sourceUntilMs: number | null;
  data: EditorData;
}) {
  const back = (
    <a class="button" href={`${PATH}/${mediaId}`}>
      Back without applying
    </a>
  );
  return (
    <Page viewer={viewer} title={`Edit ${title}`} section="Media" actions={back} editor="photoEditor">
      {sourceUntilMs === null ? (
        <section class="panel">
          <p>The original is no longer kept, so this photo cannot be edited. Upload it again.</p>
        </section>
      ) : (
        <Editor
          viewer={viewer}
          mediaId={mediaId}
          sourcePath={sourcePath}
          sourceUntilMs={sourceUntilMs}
          data={data}
        />
      )}
    </Page>
  );
}

function Editor({
  viewer,
  mediaId,
  sourcePath,
  sourceUntilMs,
  data,
}: {
  viewer: Viewer;
  mediaId: string;
  sourcePath: string;
  sourceUntilMs: number;
  data: EditorData;
}) {
  const { width, height } = data;
  return (
    <div
      class="editor"
      data-editor="photo"
      data-media-path={PATH}
      data-revisions={`${PATH}/${mediaId}/revisions`}
      data-csrf={viewer.csrfToken}
    >
      <script type="application/json" data-editor-data>
        {raw(JSON.stringify({ ...data, categoryNames: CATEGORY_NAMES }).replaceAll("<", "\\u003c"))}
      </script>
      <noscript>
        <p class="notice">The editor needs JavaScript. Without it, use the API or the command line.</p>
      </noscript>
      <section class="panel workbench" aria-label="Picture">
        <Toolbar />
        <svg
          class="stage"
          data-tool="select"
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          tabindex={0}
          role="group"
          aria-label="The original with what is hidden"
          aria-describedby="editor-keys"
        >
          <image href={sourcePath} width={width} height={height} />
          <g class="things" />
        </svg>
      </section>
      <section class="panel" aria-label="What is hidden">
        {data.thresholds !== null && <Sensitivity />}
        <div class="things-list" />
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
            {KEYS.map(([keys, what]) => (
              <div>
                <dt>{keys}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </details>
      </section>
    </div>
  );
}

function Toolbar() {
  return (
    <div class="toolbar">
      <fieldset class="tools">
        <legend class="unseen">Tool</legend>
        {TOOLS.map(({ value, name, hint }) => (
          <label title={hint}>
            <input type="radio" name="tool" value={value} checked={value === "select"} />
            {name}
          </label>
        ))}
      </fieldset>
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
