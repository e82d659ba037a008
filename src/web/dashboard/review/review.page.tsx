import type { DecidedReview } from "../../../records/review/review-queue.repository.ts";
import type { ReviewQueueData } from "./review.data.ts";
import { ActionButton, CsrfField } from "../parts/forms.tsx";
import { Moment, shownNumber } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";
import { Thumbnail } from "../parts/media-list.tsx";
import { shownReason } from "./review-reasons.tsx";
import { ReviewRulesPanel } from "./review-rules.tsx";
import { Table } from "../parts/table.tsx";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import type { RuleEntries } from "./review-form.ts";

const PATH = `${DASHBOARD_PATH}/review`;

/** The queue, and the rules that fill it. */
export function ReviewPage({
  viewer,
  data,
  faults,
  entered,
  notice,
}: {
  viewer: Viewer;
  data: ReviewQueueData;
  faults?: FormFaults | undefined;
  entered?: RuleEntries | undefined;
  notice?: string | undefined;
}) {
  const { waiting, expired } = data.counts;
  const actions = waiting > 0 && (
    <a class="button primary" href={`${PATH}/next`}>
      Start reviewing
    </a>
  );
  return (
    <Page
      viewer={viewer}
      title="Review"
      section="Review"
      script="reviewRules"
      notice={notice}
      actions={actions}
    >
      <section class="panel" aria-labelledby="waiting">
        <h2 id="waiting">{`${shownNumber(waiting)} to review`}</h2>
        <p class="soft">
          Files to check before they are passed on: uploaded with “Review before redacting”, sent here by
          someone, or flagged by a rule below. Files uploaded for review are redacted when you approve them.
          The others are already redacted and can be downloaded meanwhile.
        </p>
        {data.waiting.length === 0 ? (
          <div class="empty">
            <p>Nothing is waiting for review.</p>
          </div>
        ) : (
          <Waiting data={data} />
        )}
        {expired > 0 && (
          <p class="soft">
            {`${shownNumber(expired)} expired before anyone reviewed them. Their originals were deleted, and they have no result.`}
          </p>
        )}
      </section>
      {data.decided.length > 0 && <Decided viewer={viewer} decided={data.decided} />}
      <ReviewRulesPanel viewer={viewer} rules={data.rules} faults={faults} entered={entered} />
    </Page>
  );
}

/** How many of the decisions of the last hours are listed. */
const SHOWN_DECIDED = 25;

/** The files that the reviewer has recently decided on, to download them or undo a decision. */
function Decided({ viewer, decided }: { viewer: Viewer; decided: readonly DecidedReview[] }) {
  return (
    <section class="panel" aria-labelledby="decided">
      <h2 id="decided">{`You reviewed ${shownNumber(decided.length)} in the last 12 hours`}</h2>
      <Table
        columns={["File", "Decision"]}
        rows={decided.slice(0, SHOWN_DECIDED).map(({ mediaId, filename, state, resultId }) => ({
          head: <a href={`${DASHBOARD_PATH}/media/${resultId}`}>{filename}</a>,
          cells: [state === "corrected" ? "Corrected" : "Approved"],
          actions: (
            <ActionButton viewer={viewer} action={`${PATH}/${mediaId}/undo`}>
              Undo approval<span class="unseen">{` of ${filename}`}</span>
            </ActionButton>
          ),
        }))}
      />
      {decided.length > SHOWN_DECIDED && (
        <p class="soft">{`And ${shownNumber(decided.length - SHOWN_DECIDED)} earlier ones.`}</p>
      )}
      <form method="post" action={`${DASHBOARD_PATH}/media/selection/download`}>
        <CsrfField viewer={viewer} />
        {decided.map(({ resultId }) => (
          <input type="hidden" name="id" value={resultId} />
        ))}
        <button>
          <Icon name="download" />
          {decided.length === 1
            ? "Download the file you reviewed"
            : `Download the ${shownNumber(decided.length)} you reviewed`}
        </button>
      </form>
      <p class="soft">Unfinished files are not in the ZIP.</p>
    </section>
  );
}

function Waiting({ data: { waiting, counts } }: { data: ReviewQueueData }) {
  return (
    <>
      <Table
        columns={["File", "Why", "Original"]}
        rows={waiting.map(({ row, review, source }) => ({
          head: (
            <a class="pictured" href={`${PATH}/${row.id}`}>
              <Thumbnail row={row} />
              <span>
                {row.filename}
                {row.folder !== null && <small class="row-folder">{row.folder}</small>}
              </span>
            </a>
          ),
          cells: [
            review.reasons.map((reason) => <div>{shownReason(reason)}</div>),
            source === null ? (
              "Deleted"
            ) : source.expiresAt === null ? (
              "Kept during processing"
            ) : (
              <span>
                {"Kept until "}
                <Moment ms={source.expiresAt} />
              </span>
            ),
          ],
        }))}
      />
      {counts.waiting > waiting.length && (
        <p class="soft">{`And ${shownNumber(counts.waiting - waiting.length)} more, in this order.`}</p>
      )}
    </>
  );
}
