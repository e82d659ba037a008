import type { MediaRow } from "../../../records/media/media.repository.ts";
import type { Batch } from "../../../records/uploads/batches.repository.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import type { ListedReviews } from "../parts/listed-reviews.data.ts";
import { ActionButton, CsrfField } from "../parts/forms.tsx";
import { Moment, shownNumber } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { KeptNames, recordRemains } from "./kept-names.tsx";
import { Page } from "../parts/layout.tsx";
import { MediaList, isUnderWay } from "../parts/media-list.tsx";
import { MOST_RETRIED, RETRY_PATH, RetryForm } from "../parts/retry.tsx";
import { Table } from "../parts/table.tsx";
import { UploadLink } from "../upload/upload-form.tsx";

const PATH = `${DASHBOARD_PATH}/batches`;
/** The most files of an archive, and of the page of an upload. */
export const MOST_FILES = 500;
/** The ID of the form with the files that have a result. */
const FILES_FORM = "batch-files";
const MEDIA_PATH = `${DASHBOARD_PATH}/media`;

/** Files that were uploaded together: their progress, the files to choose again, and actions on all of them. */
export function BatchPage({
  viewer,
  batchId,
  rows,
  others,
  waiting,
  reviews,
  retryable,
  hasMore,
  mostDeleted,
  keepsNames,
  notice,
}: {
  viewer: Viewer;
  batchId: string;
  /** The current version of each file. */
  rows: readonly MediaRow[];
  others: readonly MediaRow[];
  /** How many of them wait for review. */
  waiting: number;
  reviews: ListedReviews;
  /** The files that failed and can be retried. */
  retryable: ReadonlySet<string>;
  /** Whether the upload has more files than the page shows. */
  hasMore: boolean;
  /** How many files one click deletes. */
  mostDeleted: number;
  /** Whether the names of deleted files are kept. */
  keepsNames: boolean;
  notice: string | undefined;
}) {
  const ended = rows.filter((row) => !isUnderWay(row)).length;
  const underWay = rows.length - ended;
  const lacking = rows.filter((row) => !hasResult(row)).length - underWay;
  const failed = rows.filter(({ status }) => status === "failed" || status === "quota_exceeded").length;
  const figures = [
    `${shownNumber(ended - failed)} of ${shownNumber(rows.length)} done`,
    ...(failed > 0 ? [`${shownNumber(failed)} failed`] : []),
    ...(waiting > 0 ? [`${shownNumber(waiting)} to review`] : []),
  ].join(" · ");
  return (
    <Page
      viewer={viewer}
      title="Upload"
      heading={<Heading rows={rows} />}
      section="Upload"
      notice={notice}
      script="batch"
    >
      <section class="panel" aria-label="Files not sent" data-unsent={batchId} hidden>
        <p class="banner" data-unsent-text />
        <ul data-unsent-names />
        <div class="actions">
          <a class="button primary" href={`${DASHBOARD_PATH}/upload?batch=${batchId}`}>
            <Icon name="upload" />
            Choose them again
          </a>
          <button type="button" class="plain" data-unsent-forget>
            Leave them out
          </button>
        </div>
      </section>
      <div data-refused={batchId} />
      <section class="panel" aria-label="Files of this upload">
        <div class="part" id="batch-figures" data-part data-version={figures}>
          {rows.length > 0 && (
            <>
              <p>{figures}</p>
              <progress max={rows.length} value={ended} aria-label="Finished files" />
            </>
          )}
        </div>
        <div
          class="part"
          id="batch-actions"
          data-part
          data-version={`${ended} ${waiting} ${reviews.approvals.size} ${lacking} ${underWay} ${rows.length} ${hasMore} ${retryable.size}`}
        >
          {hasMore && (
            <p class="soft">
              {`This page shows the first ${MOST_FILES} files of the upload. The figures and the ZIP are about these; `}
              <a href={MEDIA_PATH}>Media</a> lists all.
            </p>
          )}
          {underWay > 0 && underWay < rows.length && (
            <p class="soft">
              {`${shownNumber(underWay)} ${underWay === 1 ? "file is" : "files are"} still being redacted and not yet in the ZIP.`}
            </p>
          )}
          {lacking > 0 && lacking < rows.length && (
            <p class="soft">
              {`${shownNumber(lacking)} ${lacking === 1 ? "file has" : "files have"} no result and cannot be in the ZIP; its manifest.csv says why.`}
            </p>
          )}
          {rows.length > 0 && (
            <BatchActions
              viewer={viewer}
              batchId={batchId}
              rows={rows}
              waiting={waiting}
              retryable={retryable}
              approved={rows.filter((row) => hasResult(row) && reviews.approvals.has(row.id)).length}
              reviewedFirst={rows.find(({ id }) => reviews.toReview.has(id) || reviews.ready.has(id))?.id}
              mostDeleted={hasMore || rows.length > mostDeleted ? mostDeleted : undefined}
              keepsNames={keepsNames}
            />
          )}
        </div>
        {rows.length === 0 ? (
          <div class="empty">
            <p>There are no files from this upload. Deleted files are not listed.</p>
            <UploadLink />
          </div>
        ) : (
          <>
            <RetryForm viewer={viewer} batchId={batchId} />
            <MediaList
              rows={rows}
              others={Map.groupBy(others, ({ currentVersionId }) => currentVersionId ?? "")}
              reviews={reviews}
              retryable={retryable}
            />
          </>
        )}
      </section>
    </Page>
  );
}

/** When an upload began. Later corrections do not change that. */
function Heading({ rows }: { rows: readonly MediaRow[] }) {
  if (rows.length === 0) return <>Upload</>;
  return (
    <>
      {"Upload of "}
      <Moment ms={Math.min(...rows.map(({ createdAt }) => createdAt))} />
    </>
  );
}

function BatchActions({
  viewer,
  batchId,
  rows,
  waiting,
  retryable,
  approved,
  reviewedFirst,
  mostDeleted,
  keepsNames,
}: {
  viewer: Viewer;
  batchId: string;
  rows: readonly MediaRow[];
  waiting: number;
  retryable: ReadonlySet<string>;
  /** How many of the results a reviewer approved. */
  approved: number;
  /** The first file of the page that waits for review; the review continues with the rest of the queue. */
  reviewedFirst: string | undefined;
  /** How many files one click deletes; undefined if it deletes all. */
  mostDeleted: number | undefined;
  keepsNames: boolean;
}) {
  const deleted = mostDeleted === undefined ? `all ${rows.length} files` : `the first ${mostDeleted} files`;
  const outputs = rows.filter(hasResult);
  return (
    <div class="actions">
      {outputs.length > 0 && (
        <>
          <form method="post" action={`${MEDIA_PATH}/selection/download`} id={FILES_FORM} hidden>
            <CsrfField viewer={viewer} />
            <input type="hidden" name="batch" value={batchId} />
            {outputs.map(({ id }) => (
              <input type="hidden" name="id" value={id} />
            ))}
          </form>
          <button class="primary" form={FILES_FORM}>
            <Icon name="download" />
            Download all as ZIP
          </button>
          {approved > 0 && approved < outputs.length && (
            <button form={FILES_FORM} name="approved" value="only">
              <Icon name="download" />
              {`Download the ${shownNumber(approved)} approved`}
            </button>
          )}
          {waiting === 0 && (
            <button form={FILES_FORM} formaction={`${MEDIA_PATH}/selection/review`}>
              <Icon name="eye" />
              Send to review
            </button>
          )}
        </>
      )}
      {retryable.size > 0 && (
        <form class="inline" method="post" action={RETRY_PATH}>
          <CsrfField viewer={viewer} />
          <input type="hidden" name="batch" value={batchId} />
          {[...retryable].slice(0, MOST_RETRIED).map((id) => (
            <input type="hidden" name="id" value={id} />
          ))}
          <button class="plain">
            <Icon name="retry" />
            {retryable.size === 1
              ? "Retry the failed file"
              : `Retry ${Math.min(retryable.size, MOST_RETRIED)} failed files`}
          </button>
        </form>
      )}
      {reviewedFirst !== undefined && (
        <a class="button" href={`${DASHBOARD_PATH}/review/${reviewedFirst}`}>
          <Icon name="eye" />
          Start reviewing
        </a>
      )}
      <ActionButton
        viewer={viewer}
        action={`${PATH}/${batchId}/delete`}
        tone="danger"
        confirm={`Permanently delete ${deleted} of this upload: the originals, the results and all their versions? ${recordRemains(keepsNames)}`}
      >
        <Icon name="trash" />
        {mostDeleted === undefined ? "Delete all" : `Delete the first ${mostDeleted}`}
      </ActionButton>
      <KeptNames viewer={viewer} keepsNames={keepsNames} />
    </div>
  );
}

function hasResult({ status, outputSizeBytes }: MediaRow): boolean {
  return status === "completed" && outputSizeBytes !== null;
}

function stateOf({ underWay, failed }: Pick<Batch, "underWay" | "failed">): string {
  const parts = [
    ...(underWay > 0 ? [`${shownNumber(underWay)} in progress`] : []),
    ...(failed > 0 ? [`${shownNumber(failed)} failed`] : []),
  ];
  return parts.join(", ") || "done";
}

/** The uploads of a team, latest first. */
export function BatchesPage({
  viewer,
  batches,
  olderThanMs,
}: {
  viewer: Viewer;
  batches: readonly Batch[];
  /** When the last listed upload began; undefined if there are no older ones. */
  olderThanMs: number | undefined;
}) {
  return (
    <Page viewer={viewer} title="Earlier uploads" section="Upload" actions={<UploadLink />}>
      <section class="panel" aria-label="Earlier uploads">
        {batches.length === 0 ? (
          <div class="empty">
            <p>Nothing has been uploaded in the dashboard yet, or it was deleted.</p>
          </div>
        ) : (
          <Table
            columns={["Uploaded", "Files", "Folder", "State"]}
            rows={batches.map(({ id, beganAt, files, folder, folders, ...state }) => ({
              head: (
                <a href={`${PATH}/${id}`}>
                  <Moment ms={beganAt} />
                </a>
              ),
              cells: [
                shownNumber(files),
                folder === null ? "–" : folders > 1 ? `${folder} and ${folders - 1} more` : folder,
                stateOf(state),
              ],
            }))}
          />
        )}
        {olderThanMs !== undefined && (
          <nav class="pages" aria-label="Pages">
            <a class="button" rel="next" href={`${PATH}?before=${olderThanMs}`}>
              Older
            </a>
          </nav>
        )}
      </section>
    </Page>
  );
}
