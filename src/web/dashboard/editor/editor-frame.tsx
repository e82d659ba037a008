import type { Child } from "hono/jsx";
import { EditorFacts, KeyList, Legend, Toolbar, type Keys, type Tool } from "../parts/editor.tsx";
import type { EditorReasons } from "./editor.data.ts";
import { ReasonMenu } from "./editor-reasons.tsx";
import { FindingList, type ShownFinding } from "../parts/findings.tsx";
import { Moment } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/media`;
const REVIEW_PATH = `${DASHBOARD_PATH}/review`;
const EDITORS = {
  photo: { scripts: "photoEditor", workbench: "Picture" },
  video: { scripts: "videoEditor", workbench: "Video" },
} as const;

/** The page of an editor. */
export interface Edited<Data> {
  readonly viewer: Viewer;
  readonly title: string;
  readonly mediaId: string;
  /** Whether it waits for review, so that applying approves it. */
  readonly isWaiting: boolean;
  readonly sourcePath: string;
  /** The time until which the original can be used; null if it is deleted. */
  readonly sourceUntilMs: number | null;
  readonly data: Data;
  /** What the second reading of the redacted file found. */
  readonly findings?: readonly ShownFinding[];
}

/** The page of an editor: toolbar, workbench, and the list of masks. Without the original, there is nothing to edit. */
export function EditorFrame({
  edited,
  kind,
  tools,
  views,
  toolOptions,
  hiddenOptions,
  applying,
  keys,
  children,
}: {
  edited: Edited<{ readonly thresholds: object | null; readonly reasons: EditorReasons }>;
  kind: keyof typeof EDITORS;
  tools: readonly Tool[];
  /** Further switches for the display of the picture. */
  views?: Child;
  /** The settings of some tools. */
  toolOptions?: Child;
  /** Things that can be hidden besides detections. */
  hiddenOptions?: Child;
  /** What happens once changes are applied, and how long that takes. */
  applying: string;
  keys: Keys;
  children?: Child;
}) {
  const { viewer, title, mediaId, isWaiting, sourceUntilMs, data } = edited;
  const { scripts, workbench } = EDITORS[kind];
  const path = `${PATH}/${mediaId}`;
  const back = (
    <a class="button" href={isWaiting ? `${REVIEW_PATH}/${mediaId}` : path}>
      {isWaiting ? "Back to review" : "Back to the file"}
    </a>
  );
  return (
    <Page viewer={viewer} title={`Edit ${title}`} section="Media" actions={back} script={scripts}>
      {sourceUntilMs === null ? (
        <section class="panel">
          <p>The original was deleted, so this file cannot be edited. Upload it again.</p>
        </section>
      ) : (
        <div
          class="editor"
          data-editor={kind}
          data-media-path={PATH}
          data-applied-path={isWaiting ? `${REVIEW_PATH}/next?after=${mediaId}` : undefined}
          data-revisions={`${path}/revisions`}
          data-detections={`${path}/edit/detections`}
          data-follow={`${path}/edit/follow`}
          data-shown-part={`${path}/edit/shown-part`}
          data-csrf={viewer.csrfToken}
          // A drag before the script has loaded would be lost.
          inert
        >
          <EditorFacts facts={data} />
          <section class="panel workbench" aria-label={workbench}>
            <Toolbar tools={tools} views={views}>
              {toolOptions}
            </Toolbar>
            {children}
          </section>
          <HiddenPanel
            hasThresholds={data.thresholds !== null}
            reasons={data.reasons}
            isWaiting={isWaiting}
            sourceUntilMs={sourceUntilMs}
            applying={applying}
            keys={keys}
          >
            <FindingList findings={edited.findings ?? []} />
            {hiddenOptions}
          </HiddenPanel>
        </div>
      )}
    </Page>
  );
}

/** The list of masks, the button that applies changes, and the keys. */
function HiddenPanel({
  hasThresholds,
  reasons,
  isWaiting,
  sourceUntilMs,
  applying,
  keys,
  children,
}: {
  hasThresholds: boolean;
  reasons: EditorReasons;
  isWaiting: boolean;
  sourceUntilMs: number;
  applying: string;
  keys: Keys;
  children?: Child;
}) {
  return (
    <section class="panel" aria-label="What is hidden">
      {hasThresholds && <Sensitivity />}
      <Legend />
      <div class="things-list" />
      <ReasonMenu reasons={reasons} />
      {children}
      <p class="soft" role="status" data-editor-status />
      <button class="primary" type="button" data-apply disabled>
        {isWaiting ? "Apply and approve" : "Apply"}
      </button>
      <p class="hint">
        {"Apply makes a new version with your changes and keeps this one. "}
        {isWaiting
          ? "This file is waiting for review: the new version counts as approved, and the next file to review opens."
          : applying}
        {" You can edit until the original is deleted, on "}
        <Moment ms={sourceUntilMs} />.
      </p>
      <details class="key-help" open>
        <summary>Keys</summary>
        <KeyList id="editor-keys" keys={keys} />
      </details>
    </section>
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
        aria-valuetext="unchanged"
      />
      <p class="hint" id="sensitivity-hint">
        Low: hide only what Veil is sure about. High: hide doubtful things too. Current:{" "}
        <strong data-sensitivity-said>unchanged</strong>
      </p>
    </div>
  );
}
