import type { ReviewItemData } from "./review.data.ts";
import { EditorFacts, KeyList, Legend, PHOTO_TOOLS, Stage, Toolbar, type Keys } from "../parts/editor.tsx";
import { CsrfField } from "../parts/forms.tsx";
import { FindingList, FindingMarks } from "../parts/findings.tsx";
import { Film } from "../parts/film.tsx";
import { Moment, shownName } from "../parts/format.tsx";
import { HiddenTimes } from "../parts/hidden-times.tsx";
import { Page } from "../parts/layout.tsx";
import { NoteList } from "../parts/note-list.tsx";
import { placeText } from "./review-place.ts";
import { shownReason } from "./review-reasons.tsx";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { maskRules } from "../../../pixels/redaction/regions/regions.ts";
import { isDetectOnly } from "../../../intake/revisions/review-queue.service.ts";

const PATH = `${DASHBOARD_PATH}/review`;
const MEDIA_PATH = `${DASHBOARD_PATH}/media`;

export const MOST_NOTE_CHARACTERS = 1_000;

const KEYS: Keys = [
  ["A", "approve, with your changes if there are any, and open the next file"],
  ["J, K", "next or previous file without a decision"],
  ["U", "undo your last approval"],
  ["O", "open in the editor"],
];
const FILM_KEYS: Keys = [
  ["Space, P", "play or pause"],
  [", .", "one frame back or forward"],
  ["M", "turn the sound off or on"],
];
const PHOTO_KEYS: Keys = [
  ["Tab, Space", "next mask; hide or show it"],
  ["B, E", "add a box, an ellipse"],
  ["Arrows, [ ]", "move a region; make it smaller, larger"],
  ["Delete", "remove a region"],
  ["+ − 0", "zoom in, out, to fit"],
  ["Ctrl Z, Ctrl Shift Z", "undo, redo your changes"],
];

/** One file to review. Scripts load the next ones into this page. */
export function ReviewItemPage({ viewer, item }: { viewer: Viewer; item: ReviewItemData }) {
  const actions = (
    <a class="button" href={PATH}>
      Back to the list
    </a>
  );
  return (
    <Page viewer={viewer} title="Review" section="Review" actions={actions} script="review">
      <div class="review" data-review={PATH} data-csrf={viewer.csrfToken} data-reviewer={viewer.name}>
        <div class="review-bar">
          <p role="status">
            <strong data-review-place>{placeText(item.place)}</strong> <span data-review-status />
          </p>
          <a class="button" href={`${PATH}/next?before=${item.reviewed.row.id}`} data-review-previous>
            Previous
          </a>
          <a class="button" href={`${PATH}/next?after=${item.reviewed.row.id}`} data-review-next>
            Next
          </a>
          <button class="plain" type="button" data-review-undo disabled>
            Undo approval
          </button>
        </div>
        <ul class="review-faults" data-review-faults role="alert" />
        <div data-review-items>
          <Item viewer={viewer} item={item} />
        </div>
        <details class="panel key-help" open>
          <summary>Keys</summary>
          <KeyList id="review-keys" keys={KEYS} />
          <KeyList id="review-film-keys" keys={FILM_KEYS} />
          <KeyList id="review-photo-keys" keys={PHOTO_KEYS} />
        </details>
      </div>
    </Page>
  );
}

function Item({ viewer, item }: { viewer: Viewer; item: ReviewItemData }) {
  const { reviewed, editor } = item;
  const { row, review } = reviewed;
  return (
    <form
      class="review-item"
      method="post"
      action={`${PATH}/${row.id}/approve`}
      data-review-item={row.id}
      data-name={row.filename}
      data-state={review.state}
      data-edit={`${MEDIA_PATH}/${row.id}/edit`}
      tabindex={-1}
      aria-label={row.filename}
    >
      <CsrfField viewer={viewer} />
      {editor === undefined ? (
        <div class="editor">
          {row.mediaType === "video" ? <ReviewedFilm item={item} /> : <Result item={item} />}
          <Decision item={item} />
        </div>
      ) : (
        <div class="editor" data-review-editor>
          <EditorFacts facts={editor} />
          <section class="panel workbench" aria-label="Picture">
            <Toolbar tools={PHOTO_TOOLS} />
            <Stage
              size={editor}
              label={`The original of ${row.filename} with what is hidden`}
              keysId="review-keys review-photo-keys"
              source={sourcePathOf(reviewed)}
            >
              <FindingMarks findings={item.findings} size={editor} />
            </Stage>
          </section>
          <Decision item={item} />
        </div>
      )}
    </form>
  );
}

function sourcePathOf({ row, source }: ReviewItemData["reviewed"]): string {
  return `${MEDIA_PATH}/${source?.id ?? row.id}/source`;
}

/**
 * A video: its result beside the original, or, before there is a result, the original with the planned masks, and their times. Its script
 * records what a person has seen.
 */
function ReviewedFilm({ item: { reviewed, isMuted, sourceUntilMs } }: { item: ReviewItemData }) {
  const { row } = reviewed;
  const path = `${MEDIA_PATH}/${row.id}`;
  const hasResult = row.outputSizeBytes !== null;
  if (!hasResult && sourceUntilMs === undefined)
    return (
      <section class="panel workbench" aria-label="Original">
        <p>The original and the result have both been deleted.</p>
      </section>
    );
  const data = { width: row.widthPixels, height: row.heightPixels, rules: maskRules() };
  return (
    <section
      class="panel workbench compare"
      aria-label={hasResult ? "Result" : "Original with what will be hidden"}
      data-film={JSON.stringify(data)}
      data-shown-part={`${path}/edit/shown-part`}
    >
      {!hasResult && <p class="hint">This is the original. What will be hidden is drawn over it.</p>}
      <Film
        row={row}
        shown={{
          resultPath: hasResult ? `${path}/output` : undefined,
          sourcePath: sourceUntilMs === undefined ? undefined : sourcePathOf(reviewed),
        }}
      />
      <p class="soft">{`Looked for: ${row.categories.map(shownName).join(", ")}.${isMuted ? " The sound is removed." : ""}`}</p>
      <HiddenTimes row={row} path={path} />
    </section>
  );
}

/** The view of a photo whose original is deleted. */
function Result({ item: { reviewed, sourceUntilMs } }: { item: ReviewItemData }) {
  const { row } = reviewed;
  const kind = row.outputSizeBytes === null ? "source" : "output";
  const isThere = kind === "output" || sourceUntilMs !== undefined;
  const address = kind === "output" ? `${MEDIA_PATH}/${row.id}/output` : sourcePathOf(reviewed);
  return (
    <section class="panel workbench" aria-label={kind === "output" ? "Result" : "Original"}>
      {!isThere && <p>The original and the result have both been deleted.</p>}
      {isThere && <img class="review-picture" src={address} alt={`The result of ${row.filename}`} />}
    </section>
  );
}

/** The notes about the file and a field for another one. A note is not a decision. */
function Notes({ item: { reviewed, notes } }: { item: ReviewItemData }) {
  const { id } = reviewed.row;
  return (
    <div class="review-notes">
      <NoteList notes={notes} />
      <label for={`note-${id}`}>Note</label>
      <textarea
        id={`note-${id}`}
        name="note"
        rows={2}
        maxlength={MOST_NOTE_CHARACTERS}
        autocomplete="off"
        aria-describedby={`note-${id}-hint`}
        data-review-note-text
      />
      <button formaction={`${PATH}/${id}/notes`} data-review-note>
        Add note
      </button>
      <p class="hint" id={`note-${id}-hint`}>
        Not satisfied? Say why. The file stays in the queue, and the note stays with the file: on its page, in
        the list of a ZIP, and in the audit trail.
      </p>
    </div>
  );
}

function Decision({ item }: { item: ReviewItemData }) {
  const { reviewed, decidedBy, editor, findings, sourceUntilMs } = item;
  const { row, review } = reviewed;
  const isWaiting = review.state === "waiting";
  const hasFilm = row.mediaType === "video" && (row.outputSizeBytes !== null || sourceUntilMs !== undefined);
  return (
    <section class="panel" aria-label="Decision">
      <h2 class="review-name">{row.filename}</h2>
      {row.folder !== null && <p class="soft">{row.folder}</p>}
      <ul class="reasons">
        {review.reasons.map((reason) => (
          <li>{shownReason(reason, isWaiting)}</li>
        ))}
      </ul>
      {isWaiting ? (
        <>
          <div class="decision-bar">
            <button class="primary" data-review-approve aria-keyshortcuts="A">
              {isDetectOnly(reviewed) ? "Approve and redact" : "Approve"}
            </button>
            <p class="fault" role="alert" data-review-caution hidden />
            <button type="button" data-review-unseen hidden>
              Play what is unseen
            </button>
            <button type="button" data-review-anyway hidden>
              Approve unseen
            </button>
          </div>
          {editor === undefined && sourceUntilMs !== undefined && (
            <a class="button" href={`${MEDIA_PATH}/${row.id}/edit`}>
              Edit
            </a>
          )}
          <p class="hint key-help">
            Press A to approve and open the next file, J to skip it, U to undo your last approval.
          </p>
        </>
      ) : (
        <p class="notice">
          {review.state === "expired"
            ? "It expired before anyone reviewed it."
            : `${review.state === "approved" ? "Approved" : "Corrected"} by ${decidedBy ?? "a former member"}.`}{" "}
          {review.resultMediaId !== null && (
            <a href={`${MEDIA_PATH}/${review.resultMediaId}`}>See the result</a>
          )}
        </p>
      )}
      <Notes item={item} />
      {editor !== undefined && (
        <>
          <Legend />
          <div class="things-list" />
        </>
      )}
      <FindingList findings={findings} isShown={editor !== undefined || hasFilm} />
      {sourceUntilMs === undefined ? (
        <p class="hint">The original was deleted, so the file cannot be corrected.</p>
      ) : (
        <p class="hint">
          {"The original is kept until "}
          <Moment ms={sourceUntilMs} />. <a href={`${MEDIA_PATH}/${row.id}`}>Details</a>
        </p>
      )}
    </section>
  );
}
