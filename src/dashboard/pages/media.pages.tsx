import type { HiddenThing } from "../data/hidden-things.data.ts";
import { failureOf } from "../../media/media-failure.ts";
import type { MediaRow } from "../../media/media.repository.ts";
import { successorOf } from "../../media-answers/media-included.schemas.ts";
import type { Approval } from "../../review/archive-facts.repository.ts";
import type { ReviewNote } from "../../review/review-notes.repository.ts";
import type { ReviewRow } from "../../review-queue/review-queue.repository.ts";
import type { StatusDetailsResponse } from "../../status/status-details.schemas.ts";
import { SECOND_MS, nowMs } from "../../platform/clock.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { Beside } from "../parts/beside.tsx";
import { Compare } from "../parts/compare.tsx";
import { ActionButton, RECORD_REMAINS } from "../parts/forms.tsx";
import {
  Moment,
  ReadyForReview,
  Status,
  fromNow,
  shownDuration,
  shownName,
  shownSize,
} from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";
import { isUnderWay } from "../parts/media-list.tsx";
import { NoteList } from "../parts/note-list.tsx";

const PATH = `${DASHBOARD_PATH}/media`;

export function MediaPage({
  viewer,
  row,
  sourcePath,
  beside,
  revisionOf,
  isRetry,
  canRetry,
  versions,
  hasOutput,
  advance,
  detections,
  review,
  approval,
  notes,
  uploadedMs,
  upload,
}: {
  viewer: Viewer;
  row: MediaRow;
  /** The address of the original; undefined if it is no longer kept. */
  sourcePath: string | undefined;
  /** The files beside it in the list of media, newest first. */
  beside: { readonly newerId: string | undefined; readonly olderId: string | undefined };
  /** The uploaded media item, if this one is a later version of it. */
  revisionOf: string | null;
  /** Whether it is a retry, and no correction. */
  isRetry: boolean;
  /** Whether it failed and can be retried. */
  canRetry: boolean;
  /** How many versions of the file there are, this one among them. */
  versions: number;
  hasOutput: boolean;
  /** How far the processing is; undefined where that is over. */
  advance: Advance | undefined;
  detections: readonly HiddenThing[] | undefined;
  /** Where somebody should look at it, or has. */
  review: ReviewRow | undefined;
  /** Who let it pass in a review. */
  approval: Approval | undefined;
  notes: readonly ReviewNote[];
  /** When the file came that it is a version of. */
  uploadedMs: number;
  /** The upload that holds the original; undefined if that was deleted. */
  upload: MediaRow | undefined;
}) {
  const path = `${PATH}/${row.id}`;
  const successorId = successorOf(row);
  const actions = (
    <div class="actions">
      <div
        class="part"
        id="download"
        data-part
        data-version={`${row.status} ${hasOutput} ${sourcePath !== undefined} ${canRetry}`}
      >
        {canRetry && (
          <ActionButton viewer={viewer} action={`${path}/retry`} tone="primary">
            <Icon name="retry" />
            Retry
          </ActionButton>
        )}
        {hasOutput && (
          <a class="button primary" href={`${PATH}/${successorId ?? row.id}/download`}>
            <Icon name="download" />
            {successorId === undefined ? "Download" : "Download the current version"}
          </a>
        )}
        {row.status === "completed" && sourcePath !== undefined && (
          <a class="button" href={`${path}/edit`}>
            <Icon name="edit" />
            Edit
          </a>
        )}
      </div>
      {hasOutput && review === undefined && (
        <ActionButton viewer={viewer} action={`${PATH}/selection/review`} fields={{ id: row.id }}>
          <Icon name="eye" />
          Send to review
        </ActionButton>
      )}
      <ActionButton
        viewer={viewer}
        action={`${path}/delete`}
        tone="danger"
        confirm={
          versions === 1
            ? `Permanently delete this file, both the original and the result? ${RECORD_REMAINS}`
            : `Permanently delete this file with all its ${versions} versions: the original and every result? ${RECORD_REMAINS}`
        }
      >
        <Icon name="trash" />
        Delete
      </ActionButton>
    </div>
  );
  return (
    <Page viewer={viewer} title={row.filename} section="Media" actions={actions} script="media">
      <Beside {...beside} />
      <div
        id="media"
        class="stack wide-gap"
        data-part
        data-live={isUnderWay(row) ? "" : undefined}
        data-version={`${row.status} ${advance?.step ?? ""} ${advanceText(row, advance)}`}
      >
        {successorId !== undefined && (
          <p class="notice">
            {isOnlyAnalyzed(review)
              ? "This file was reviewed. "
              : failureOf(row) === null
                ? "This file was corrected. "
                : "This file was retried. "}
            <a href={`${PATH}/${successorId}`}>
              {isOnlyAnalyzed(review) ? "See the redacted version" : "See the current version"}
            </a>
            {hasOutput && (
              <>
                {", or "}
                <a href={`${path}/download`}>download this older one</a>
              </>
            )}
            .
          </p>
        )}
        <section class="panel" aria-label="Result">
          {hasOutput ? (
            <Compare row={row} path={path} sourcePath={sourcePath} detections={detections} />
          ) : (
            <Waiting row={row} review={review} advance={advance} />
          )}
        </section>
        <Facts
          row={row}
          hasSource={sourcePath !== undefined}
          revisionOf={revisionOf}
          isRetry={isRetry}
          review={review}
          approval={approval}
          notes={notes}
          uploadedMs={uploadedMs}
          upload={upload}
        />
      </div>
    </Page>
  );
}

type Advance = Pick<StatusDetailsResponse, "progress" | "step">;

const STEP_TEXTS = {
  upload: "Receiving the file",
  plan: "Reading the video",
  analyse: "Detecting what to hide",
  link: "Tracking it from frame to frame",
  render: "Redacting the video",
  assemble: "Writing the redacted file",
} as const satisfies Record<NonNullable<Advance["step"]>, string>;

/** Before so much is done, how long it took says little of how long the rest takes. */
const LEAST_PROGRESS = 0.1;

/** The estimated time left, in words; empty as long as there is no estimate. */
function timeLeft({ createdAt }: MediaRow, progress: number): string {
  if (progress < LEAST_PROGRESS || progress >= 1) return "";
  const leftMs = ((nowMs() - createdAt) * (1 - progress)) / progress;
  const seconds = Math.max(1, Math.round(leftMs / SECOND_MS));
  if (seconds < 90) return `, about ${seconds} ${seconds === 1 ? "second" : "seconds"} left`;
  return `, about ${Math.round(seconds / 60)} minutes left`;
}

/** How much is done and how long the rest takes; empty where neither is known. */
function advanceText(row: MediaRow, advance: Advance | undefined): string {
  const progress = advance?.progress ?? null;
  return progress === null ? "" : `${Math.floor(progress * 100)}%${timeLeft(row, progress)}`;
}

function Waiting({
  row,
  review,
  advance,
}: {
  row: MediaRow;
  review: ReviewRow | undefined;
  advance: Advance | undefined;
}) {
  if (isUnderWay(row)) {
    return (
      <div class="empty" role="status">
        <p class="pulse">
          <Status status={row.status} />
        </p>
        {typeof advance?.progress === "number" && row.mediaType === "video" && (
          <p class="advance">
            <progress value={advance.progress} max={1} aria-label="Progress" />
            <span>{advanceText(row, advance)}</span>
          </p>
        )}
        {advance?.step && <p>{STEP_TEXTS[advance.step]}</p>}
        <p class="soft">This page updates when the result is ready.</p>
      </div>
    );
  }
  if (review !== undefined && isOnlyAnalyzed(review)) {
    return (
      <div class="empty">
        <p>{ANALYZED_TEXTS[review.state]}</p>
        <p>
          <ReviewLink review={review} />
        </p>
      </div>
    );
  }
  const why = failureOf(row)?.message ?? "The redacted file expired and was deleted.";
  return (
    <div class="empty">
      <p>
        <Status status={row.status} />
      </p>
      <p>{why}</p>
    </div>
  );
}

function Facts({
  row,
  hasSource,
  revisionOf,
  isRetry,
  review,
  approval,
  notes,
  uploadedMs,
  upload,
}: {
  row: MediaRow;
  hasSource: boolean;
  revisionOf: string | null;
  isRetry: boolean;
  review: ReviewRow | undefined;
  approval: Approval | undefined;
  notes: readonly ReviewNote[];
  uploadedMs: number;
  upload: MediaRow | undefined;
}) {
  const isReady = review?.state === "waiting" && isOnlyAnalyzed(review);
  // The record of a correction has the size of the upload that it was made from.
  const sizeBytes = revisionOf === null || isRetry ? row.fileSizeBytes : row.outputSizeBytes;
  const facts: readonly (readonly [string, unknown])[] = [
    ["Status", isReady ? <ReadyForReview /> : <Status status={row.status} />],
    ["Categories", row.categories.map(shownName).join(", ")],
    ["Method", shownName(row.redactionMethod)],
    [
      "Size",
      [
        `${row.widthPixels} × ${row.heightPixels} pixels`,
        ...(sizeBytes === null ? [] : [shownSize(sizeBytes)]),
      ].join(", "),
    ],
    ...(row.folder === null ? [] : [["Folder", row.folder] as const]),
    ["Uploaded", <Moment ms={uploadedMs} />],
    ...(row.processedAt === null ? [] : [["Took", shownDuration(row.processedAt - row.createdAt)] as const]),
    ...(revisionOf === null
      ? []
      : [
          [
            isRetry
              ? "Retry of"
              : approval?.state === "approved"
                ? "Redacted version of"
                : "Corrected version of",
            <a href={`${PATH}/${revisionOf}`}>the original upload</a>,
          ] as const,
        ]),
    ["Original", upload === undefined ? "Deleted" : <Original row={upload} hasSource={hasSource} />],
    ...(row.outputExpiresAt === null || row.outputSizeBytes === null
      ? []
      : [["Result", <KeptUntil ms={row.outputExpiresAt} />] as const]),
    ...(review === undefined || approval !== undefined
      ? []
      : [["Review", <ReviewLink review={review} />] as const]),
    ...(approval === undefined ? [] : [["Review", <Approved approval={approval} />] as const]),
    ...(notes.length === 0 ? [] : [["Notes of the review", <NoteList notes={notes} />] as const]),
    ["Id", <code>{row.id}</code>],
  ];
  return (
    <section class="panel" aria-label="Details">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Whether a file was uploaded to be reviewed before it is redacted. */
function isOnlyAnalyzed(review: ReviewRow | undefined): boolean {
  return review?.reasons.some(({ kind }) => kind === "detect_only") === true;
}

/** The text about a file that was uploaded for review before redaction. */
const ANALYZED_TEXTS = {
  waiting: "This file is waiting for review. The redacted file is made when you approve it.",
  approved: "This file was reviewed and approved. Its redacted file is a separate version.",
  corrected: "This file was reviewed and corrected. Its redacted file is a separate version.",
  expired: "This file expired before anyone reviewed it, so no redacted file was made.",
} as const;

const REVIEW_TEXTS = {
  waiting: "Waiting for review",
  approved: "Approved",
  corrected: "Corrected",
  expired: "Expired without review",
} as const;

function ReviewLink({ review }: { review: ReviewRow }) {
  const text = REVIEW_TEXTS[review.state];
  return review.state === "waiting" ? (
    <a href={`${DASHBOARD_PATH}/review/${review.mediaId}`}>{text}</a>
  ) : (
    <>
      {text}
      {review.resultMediaId !== null && (
        <>
          {": "}
          <a href={`${PATH}/${review.resultMediaId}`}>the result</a>
        </>
      )}
    </>
  );
}

function Approved({ approval: { byName, atMs, state } }: { approval: Approval }) {
  return (
    <>
      {`Approved${state === "corrected" ? " with changes" : ""} by ${byName} on `}
      <Moment ms={atMs} />
    </>
  );
}

/** How long the original is kept: its time runs once processing has ended. */
function Original({ row: { sourceExpiresAt }, hasSource }: { row: MediaRow; hasSource: boolean }) {
  if (!hasSource) return <>Deleted</>;
  if (sourceExpiresAt === null) return <>Kept during processing</>;
  return <KeptUntil ms={sourceExpiresAt} />;
}

/** When a file is deleted, as an exact time and in words. */
function KeptUntil({ ms }: { ms: number }) {
  return (
    <>
      {"Deleted automatically on "}
      <Moment ms={ms} />
      {` (${fromNow(ms)})`}
    </>
  );
}
