import { versionsUnderWay, type FileVersion, type HiddenThing } from "../versions/versions.data.ts";
import { failureOf } from "../../../records/media/media-failure.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { successorOf } from "../../../records/media-api/media-included.schemas.ts";
import type { Approval } from "../../../records/review/archive-facts.repository.ts";
import type { ReviewNote } from "../../../records/review/review-notes.repository.ts";
import type { ReviewRow } from "../../../records/review/review-queue.repository.ts";
import type { StatusDetailsResponse } from "../../../records/media-api/status-details.schemas.ts";
import type { VerificationResponse } from "../../../records/verification/verification.schemas.ts";
import { SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { NeighborLinks } from "./neighbor-links.tsx";
import { Compare } from "../versions/compare.tsx";
import { Status } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { MediaActions } from "./media-actions.tsx";
import { Facts, ReviewLink, isOnlyAnalyzed } from "./media-facts.tsx";
import { isUnderWay } from "../parts/media-list.tsx";
import { makerOfVersion } from "../versions/version-words.ts";
import { Versions } from "../versions/versions.tsx";

const PATH = `${DASHBOARD_PATH}/media`;

/** A media item: its result, its versions and what can be done with it. */
export function MediaPage({
  viewer,
  row,
  sourcePath,
  beside,
  revisionOf,
  isRetry,
  canRetry,
  versions,
  keepsNames,
  hasOutput,
  advance,
  detections,
  verification,
  review,
  approval,
  notes,
  uploadedMs,
  upload,
  notice,
}: {
  viewer: Viewer;
  row: MediaRow;
  /** The address of the original; undefined if it is no longer kept. */
  sourcePath: string | undefined;
  /** The files beside it in the list of media, newest first. */
  beside: { readonly newerId: string | undefined; readonly olderId: string | undefined };
  /** The uploaded media item, if this one is a later version of it. */
  revisionOf: string | null;
  /** Whether it is a retry instead of a correction. */
  isRetry: boolean;
  /** Whether it failed and can be retried. */
  canRetry: boolean;
  /** All versions of the file, newest first. */
  versions: readonly FileVersion[];
  /** Whether the names of deleted files are kept. */
  keepsNames: boolean;
  hasOutput: boolean;
  /** The progress of processing; undefined once it has ended. */
  advance: Advance | undefined;
  detections: readonly HiddenThing[] | undefined;
  /** The second reading; undefined unless the file is completed. */
  verification: VerificationResponse | undefined;
  /** Its review, if there is one. */
  review: ReviewRow | undefined;
  /** Who approved it in a review. */
  approval: Approval | undefined;
  notes: readonly ReviewNote[];
  /** When the file that it is a version of was uploaded. */
  uploadedMs: number;
  /** The upload that holds the original; undefined if that was deleted. */
  upload: MediaRow | undefined;
  notice: string | undefined;
}) {
  const path = `${PATH}/${row.id}`;
  const successorId = successorOf(row);
  const first = versions.at(-1);
  const uploadedBy = first?.maker?.kind === "media.uploaded" ? makerOfVersion(first) : undefined;
  const actions = (
    <MediaActions
      viewer={viewer}
      row={row}
      hasSource={sourcePath !== undefined}
      hasOutput={hasOutput}
      canRetry={canRetry}
      canReview={hasOutput && review === undefined}
      versions={versions.length}
      keepsNames={keepsNames}
    />
  );
  return (
    <Page
      viewer={viewer}
      title={row.filename}
      section="Media"
      actions={actions}
      notice={notice}
      script="media"
    >
      <NeighborLinks {...beside} />
      <div
        id="media"
        class="stack wide-gap"
        data-part
        data-live={isUnderWay(row) || versionsUnderWay(versions).length > 0 ? "" : undefined}
        data-version={[
          row.status,
          advance?.step,
          advanceText(row, advance),
          ...versions.map((version) => `${version.row.id} ${version.row.status}`),
        ].join(" ")}
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
        <Versions viewer={viewer} versions={versions} shownId={row.id} hasSource={sourcePath !== undefined} />
        <Facts
          row={row}
          hasSource={sourcePath !== undefined}
          revisionOf={revisionOf}
          isRetry={isRetry}
          review={review}
          approval={approval}
          notes={notes}
          uploadedMs={uploadedMs}
          uploadedBy={uploadedBy}
          upload={upload}
          verification={verification}
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

/** Below this progress, the elapsed time does not predict the rest. */
const LEAST_PROGRESS = 0.1;

/** The estimated time left, in words; empty as long as there is no estimate. */
function timeLeft({ createdAt }: MediaRow, progress: number): string {
  if (progress < LEAST_PROGRESS || progress >= 1) return "";
  const leftMs = ((nowMs() - createdAt) * (1 - progress)) / progress;
  const seconds = Math.max(1, Math.round(leftMs / SECOND_MS));
  if (seconds < 90) return `, about ${seconds} ${seconds === 1 ? "second" : "seconds"} left`;
  return `, about ${Math.round(seconds / 60)} minutes left`;
}

/** The progress and the remaining time; empty if neither is known. */
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

/** The text about a file that was uploaded for review before redaction. */
const ANALYZED_TEXTS = {
  waiting: "This file is waiting for review. The redacted file is made when you approve it.",
  approved: "This file was reviewed and approved. Its redacted file is a separate version.",
  corrected: "This file was reviewed and corrected. Its redacted file is a separate version.",
  expired: "This file expired before anyone reviewed it, so no redacted file was made.",
} as const;
