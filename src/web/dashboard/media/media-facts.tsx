import type { MediaRow } from "../../../records/media/media.repository.ts";
import type { Approval } from "../../../records/review/archive-facts.repository.ts";
import type { ReviewNote } from "../../../records/review/review-notes.repository.ts";
import type { ReviewRow } from "../../../records/review/review-queue.repository.ts";
import type { VerificationResponse } from "../../../records/verification/verification.schemas.ts";
import { DASHBOARD_PATH } from "../request/dashboard.http.ts";
import {
  Moment,
  ReadyForReview,
  Status,
  fromNow,
  shownDuration,
  shownName,
  shownSize,
} from "../parts/format.tsx";
import { VerificationFact } from "../parts/findings.tsx";
import { NoteList } from "../parts/note-list.tsx";

const PATH = `${DASHBOARD_PATH}/media`;

/** A file's details: status, size, times, review. */
export function Facts({
  row,
  hasSource,
  revisionOf,
  isRetry,
  review,
  approval,
  notes,
  uploadedMs,
  uploadedBy,
  upload,
  verification,
}: {
  row: MediaRow;
  hasSource: boolean;
  revisionOf: string | null;
  isRetry: boolean;
  review: ReviewRow | undefined;
  approval: Approval | undefined;
  notes: readonly ReviewNote[];
  uploadedMs: number;
  /** Undefined if the audit trail no longer says. */
  uploadedBy: string | undefined;
  upload: MediaRow | undefined;
  verification: VerificationResponse | undefined;
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
    ["Uploaded", <Uploaded ms={uploadedMs} by={uploadedBy} />],
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
    ...(verification === undefined
      ? []
      : [
          [
            "Second reading",
            <VerificationFact
              verification={verification}
              editPath={hasSource ? `${PATH}/${row.id}/edit` : undefined}
            />,
          ] as const,
        ]),
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
export function isOnlyAnalyzed(review: ReviewRow | undefined): boolean {
  return review?.reasons.some(({ kind }) => kind === "detect_only") === true;
}

const REVIEW_TEXTS = {
  waiting: "Waiting for review",
  approved: "Approved",
  corrected: "Corrected",
  expired: "Expired without review",
} as const;

/** A link to the review of a file, or its outcome. */
export function ReviewLink({ review }: { review: ReviewRow }) {
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

function Uploaded({ ms, by }: { ms: number; by: string | undefined }) {
  return (
    <>
      <Moment ms={ms} />
      {by !== undefined && ` by ${by}`}
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

/** How long the original is kept. The time begins when processing ends. */
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
