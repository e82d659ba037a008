import { RULE_SUBJECTS } from "../../review/review-rules.schemas.ts";
import type { ReviewQueueData } from "../data/review.data.ts";
import { CsrfField, FormFault } from "../parts/forms.tsx";
import { Moment, shownNumber } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";
import { Thumbnail } from "../parts/media-list.tsx";
import { shownReason, shownSubject } from "../parts/review-reasons.tsx";
import { Table } from "../parts/table.tsx";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { ruleFields, type RuleEntries } from "../request/review-form.ts";

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
    <Page viewer={viewer} title="Review" section="Review" notice={notice} actions={actions}>
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
      {data.decidedIds.length > 0 && <Decided viewer={viewer} ids={data.decidedIds} />}
      <Rules viewer={viewer} data={data} faults={faults} entered={entered} />
    </Page>
  );
}

/** The files that the reviewer has just decided on, to download. */
function Decided({ viewer, ids }: { viewer: Viewer; ids: readonly string[] }) {
  return (
    <section class="panel" aria-labelledby="decided">
      <h2 id="decided">{`You reviewed ${shownNumber(ids.length)} in the last 12 hours`}</h2>
      <form method="post" action={`${DASHBOARD_PATH}/media/selection/download`}>
        <CsrfField viewer={viewer} />
        {ids.map((id) => (
          <input type="hidden" name="id" value={id} />
        ))}
        <button>
          <Icon name="download" />
          {ids.length === 1
            ? "Download the file you reviewed"
            : `Download the ${shownNumber(ids.length)} you reviewed`}
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

function Rules({
  viewer,
  data: { rules },
  faults,
  entered,
}: {
  viewer: Viewer;
  data: ReviewQueueData;
  faults?: FormFaults | undefined;
  entered?: RuleEntries | undefined;
}) {
  const isOwner = viewer.team?.role === "owner";
  const used = RULE_SUBJECTS.filter(
    (subject) => rules.moreThan[subject] !== undefined || rules.between[subject] !== undefined,
  );
  return (
    <details class="panel" open={faults !== undefined || (used.length > 0 && !isOwner)}>
      <summary>
        <h2>{used.length === 0 ? "Rules" : `Rules (${used.length})`}</h2>
      </summary>
      <p class="soft">
        Send a file to review if it has many masks, or if Veil was unsure about something in it. Rules apply
        to files that complete from now on.
        {!isOwner && " Only owners of the team can change them."}
      </p>
      {used.length === 0 && !isOwner && <p>There are no rules.</p>}
      {used.length > 0 && !isOwner && (
        <ul>
          {used.map((subject) => {
            const [limit, range] = [rules.moreThan[subject], rules.between[subject]];
            const parts = [
              ...(limit === undefined ? [] : [`more than ${limit}`]),
              ...(range === undefined
                ? []
                : [`a confidence from ${range.fromPercent} to ${range.toPercent}%`]),
            ];
            return <li>{`${shownSubject(subject)}: ${parts.join(", or ")}`}</li>;
          })}
        </ul>
      )}
      {isOwner && <RulesForm viewer={viewer} rules={rules} faults={faults} entered={entered} />}
    </details>
  );
}

function RulesForm({
  viewer,
  rules,
  faults = {},
  entered = {},
}: {
  viewer: Viewer;
  rules: ReviewQueueData["rules"];
  faults?: FormFaults | undefined;
  entered?: RuleEntries | undefined;
}) {
  return (
    <form method="post" action={`${PATH}/rules`} novalidate>
      <CsrfField viewer={viewer} />
      <FormFault faults={faults} />
      <Table
        columns={["What", "More than", "Confidence from, %", "to, %"]}
        rows={RULE_SUBJECTS.map((subject) => {
          const fields = ruleFields(subject);
          const name = shownSubject(subject);
          const range = rules.between[subject];
          const cell = (field: string, label: string, value: number | undefined) => (
            <RuleField
              field={field}
              label={`${name}: ${label}`}
              value={entered[field] ?? value?.toString()}
              fault={faults[field]}
            />
          );
          return {
            head: name,
            cells: [
              cell(fields.moreThan, "more than", rules.moreThan[subject]),
              cell(fields.from, "confidence from, percent", range?.fromPercent),
              cell(fields.to, "confidence to, percent", range?.toPercent),
            ],
          };
        })}
      />
      <div>
        <button class="primary">Save rules</button>
      </div>
    </form>
  );
}

function RuleField({
  field,
  label,
  value,
  fault,
}: {
  field: string;
  label: string;
  value: string | undefined;
  fault: string | undefined;
}) {
  return (
    <>
      <input
        class="rule"
        name={field}
        inputmode="numeric"
        value={value}
        maxlength={6}
        autocomplete="off"
        aria-label={label}
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={fault === undefined ? undefined : `${field}-fault`}
      />
      {fault !== undefined && (
        <span class="fault" id={`${field}-fault`}>
          {fault}
        </span>
      )}
    </>
  );
}
