import type { Child } from "hono/jsx";
import { failureOf } from "../../../records/media/media-failure.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { hasEnded } from "../../../records/media/media.states.ts";
import { NO_REVIEWS, type ListedReviews } from "./listed-reviews.data.ts";
import { DASHBOARD_PATH } from "../request/dashboard.http.ts";
import {
  Moment,
  ReadyForReview,
  STATUS_TEXTS,
  Status,
  ToReview,
  shownDuration,
  shownName,
  shownSize,
} from "./format.tsx";
import { Icon } from "./icons.tsx";
import { RetryButton } from "./retry.tsx";

/** The other versions of files, by the ID of the current version. */
export type OtherVersions = ReadonlyMap<string, readonly MediaRow[]>;

/** Media items as rows that link to their pages. While one of them will still change, the page's script updates the list. */
export function MediaList({
  rows,
  others = new Map(),
  reviews = NO_REVIEWS,
  retryable = new Set(),
  view = "list",
  selectionForm,
  heads,
}: {
  rows: readonly MediaRow[];
  others?: OtherVersions;
  reviews?: ListedReviews | undefined;
  /** The files that can be retried; the page has a `RetryForm` for them. */
  retryable?: ReadonlySet<string>;
  view?: "list" | "grid";
  /** The ID of the form that the checkbox of each row belongs to. */
  selectionForm?: string;
  /** The column headings. */
  heads?: Child;
}) {
  const kinds = [view === "grid" ? "tiles" : "lines", selectionForm === undefined ? "" : "picked"].join(" ");
  const list = (
    <ul
      class={`rows ${kinds}`}
      id="media-rows"
      data-part
      data-live={[...rows, ...[...others.values()].flat()].some(isUnderWay) ? "" : undefined}
    >
      {rows.map((row) => (
        <li
          id={`media-${row.id}`}
          data-version={`${versionOf(row, others.get(row.id), reviews)} ${retryable.has(row.id)}`}
        >
          {selectionForm !== undefined && (
            <input
              type="checkbox"
              class="pick"
              name="id"
              value={row.id}
              form={selectionForm}
              aria-label={`Select ${row.filename}`}
              autocomplete="off"
            />
          )}
          <a href={`${DASHBOARD_PATH}/media/${row.id}`}>
            <Thumbnail row={row} />
            <span class="row-title">
              <FileName name={row.filename} />
              {(row.folder !== null || isCorrected(row, others.get(row.id), reviews)) && (
                <small class="row-folder">
                  {isCorrected(row, others.get(row.id), reviews) && <span class="corrected">corrected</span>}
                  {row.folder}
                </small>
              )}
            </span>
          </a>
          <span class="row-what" title={categoriesOf(row)}>
            {categoriesOf(row)}
          </span>
          <span class="row-size">{shownSize(row.fileSizeBytes)}</span>
          <span class="row-when">
            <Moment ms={uploadedAtMs(row, others.get(row.id))} />
            {row.processedAt !== null && (
              <small>{`in ${shownDuration(row.processedAt - row.createdAt)}`}</small>
            )}
          </span>
          {reviews.ready.has(row.id) ? (
            <ReadyForReview />
          ) : retryable.has(row.id) ? (
            <Retryable row={row} />
          ) : (
            <RowStatus row={row} reviews={reviews} />
          )}
          {others.has(row.id) && <Versions row={row} others={others.get(row.id) ?? []} reviews={reviews} />}
        </li>
      ))}
    </ul>
  );
  if (heads === undefined) return list;
  return (
    <div class={`list-frame ${kinds}`}>
      {heads}
      {list}
    </div>
  );
}

/** The state of a file that failed and can be retried. */
function Retryable({ row: { id, status, filename } }: { row: MediaRow }) {
  return (
    <span class={`status ${status}`}>
      {STATUS_TEXTS[status]}
      <RetryButton id={id} filename={filename} />
    </span>
  );
}

/** The state of a file, and who approved it when. */
function RowStatus({ row, reviews }: { row: MediaRow; reviews: ListedReviews }) {
  if (reviews.toReview.has(row.id)) return <ToReview />;
  const approval = reviews.approvals.get(row.id);
  if (row.status !== "completed" || approval === undefined) return <Status status={row.status} />;
  return (
    <span class="status completed approved">
      <span>
        Approved
        <small>
          {`by ${approval.byName}, `}
          <Moment ms={approval.atMs} />
        </small>
      </span>
    </span>
  );
}

/** Whether a row shows a version that replaced another result. The first result of a review replaces none. */
function isCorrected(
  { id }: MediaRow,
  others: readonly MediaRow[] = [],
  reviews: ListedReviews = NO_REVIEWS,
): boolean {
  return (
    others.some((other) => other.id < id && other.status === "completed") && !isMadeByApproval(id, reviews)
  );
}

function isMadeByApproval(id: string, { approvals }: ListedReviews): boolean {
  const approval = approvals.get(id);
  return approval?.resultMediaId === id && approval.state === "approved";
}

/** When the file was uploaded. Its versions were created later. */
function uploadedAtMs({ createdAt }: MediaRow, others: readonly MediaRow[] = []): number {
  return Math.min(createdAt, ...others.map((other) => other.createdAt));
}

function versionOf(row: MediaRow, others: readonly MediaRow[] = [], reviews: ListedReviews): string {
  return [
    row.status,
    reviews.ready.has(row.id),
    reviews.toReview.has(row.id),
    reviews.approvals.get(row.id)?.atMs ?? "",
    ...others.map((other) => `${other.id} ${other.status}`),
  ].join(" ");
}

/** The versions of a file that are not current: older ones, those that failed, and corrections that are not completed. */
function Versions({
  row,
  others,
  reviews,
}: {
  row: MediaRow;
  others: readonly MediaRow[];
  reviews: ListedReviews;
}) {
  const older = isMadeByApproval(row.id, reviews) ? "Before redaction" : "Before the correction";
  const nameOf = (other: MediaRow): string => {
    if (other.id > row.id) return "Correction";
    return failureOf(other) === null ? older : "Before the retry";
  };
  return (
    <details class="row-versions">
      <summary>{others.length === 1 ? "1 other version" : `${others.length} other versions`}</summary>
      <ul>
        {others.map((other) => (
          <li>
            <a href={`${DASHBOARD_PATH}/media/${other.id}`}>{nameOf(other)}</a>
            <Moment ms={other.createdAt} />
            <Status status={other.status} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function categoriesOf({ categories }: MediaRow): string {
  return categories.map(shownName).join(", ");
}

/** A thumbnail of the redacted file, or a placeholder. */
export function Thumbnail({ row }: { row: MediaRow }) {
  const hasOutput = row.status === "completed" && row.outputSizeBytes !== null;
  return (
    <span class="thumbnail">
      {hasOutput ? (
        <img
          src={`${DASHBOARD_PATH}/media/${row.id}/thumbnail`}
          alt=""
          width="320"
          height="320"
          loading="lazy"
          decoding="async"
        />
      ) : (
        <Icon name={row.mediaType === "video" ? "video" : "media"} />
      )}
    </span>
  );
}

/** How many characters at the end of a name stay if its middle is cut: a number and an extension. */
const NAME_END = 10;
/** Splits text into graphemes, so that an accented letter or a family emoji is never cut in two. */
const LETTERS = new Intl.Segmenter("en");

/** A file's name. If it does not fit, its middle is cut, because the names of one camera differ at their ends. */
function FileName({ name }: { name: string }) {
  const characters = Array.from(LETTERS.segment(name), ({ segment }) => segment);
  if (characters.length <= 2 * NAME_END) return <span class="row-name">{name}</span>;
  return (
    <span class="row-name cut" title={name}>
      <span>{characters.slice(0, -NAME_END).join("")}</span>
      <span>{characters.slice(-NAME_END).join("")}</span>
    </span>
  );
}

/** Whether a media item will still change. */
export function isUnderWay(row: MediaRow): boolean {
  return !hasEnded(row.status);
}
