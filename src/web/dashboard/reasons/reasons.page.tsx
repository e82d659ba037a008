import { READY_MADE_LISTS } from "../../../records/masking/ready-made-lists.ts";
import { MOST_REASONS, type ReasonList } from "../../../records/masking/reasons.schemas.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { shownName } from "../parts/format.tsx";
import { CsrfField } from "../parts/forms.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { codesIn, defaultField, entriesOf, type ReasonEntries } from "./reasons-form.ts";

const PATH = `${DASHBOARD_PATH}/reasons`;

/** The reasons that masks may carry. Owners edit them; members see them. */
export function ReasonsPage({
  viewer,
  list,
  entered,
  faults,
  notice,
}: {
  viewer: Viewer;
  list: ReasonList;
  /** Values that are not saved, from a form with errors or from a ready-made list. */
  entered?: ReasonEntries | undefined;
  faults?: FormFaults | undefined;
  notice?: string | undefined;
}) {
  const isOwner = viewer.team?.role === "owner";
  return (
    <Page viewer={viewer} title="Reasons" section="Team" notice={notice} script="reviewRules">
      <section class="panel" aria-labelledby="reasons-title">
        <h2 id="reasons-title">Reasons for hiding something</h2>
        <p>
          A mask may carry one of these reasons. You choose it in the editor; clients send it with a region. A
          mask without one gets the reason of its category. Masks keep their reasons when this list changes.
        </p>
        {isOwner ? (
          <ReasonsForm viewer={viewer} entries={entered ?? entriesOf(list)} faults={faults} />
        ) : (
          <>
            <p class="soft">Only owners of the team can change this list.</p>
            <ReasonsInWords list={list} />
          </>
        )}
      </section>
    </Page>
  );
}

function ReasonsInWords({ list: { reasons, defaults } }: { list: ReasonList }) {
  if (reasons.length === 0) return <p>The list is empty.</p>;
  return (
    <Table
      columns={["Code", "Reason", "By default for"]}
      rows={reasons.map(({ code, text }) => ({
        head: code,
        cells: [
          text,
          REDACTION_CATEGORIES.filter((category) => defaults[category] === code)
            .map(shownName)
            .join(", "),
        ],
      }))}
    />
  );
}

function ReasonsForm({
  viewer,
  entries,
  faults = {},
}: {
  viewer: Viewer;
  entries: ReasonEntries;
  faults?: FormFaults | undefined;
}) {
  const codes = codesIn(entries);
  const fault = faults["reasons"];
  return (
    <form class="rules-form" method="post" action={PATH} novalidate>
      <CsrfField viewer={viewer} />
      <p>
        {"Start from a ready-made list, which you can change before you save it: "}
        {Object.entries(READY_MADE_LISTS).map(([name, { name: title }], index) => (
          <>
            {index > 0 && ", "}
            <a href={`${PATH}?list=${name}`}>{title}</a>
          </>
        ))}
        .
      </p>
      <div class="field">
        <label for="reasons">List</label>
        <textarea
          id="reasons"
          name="reasons"
          rows={14}
          spellcheck={false}
          aria-invalid={fault === undefined ? undefined : "true"}
          aria-describedby={fault === undefined ? "reasons-hint" : "reasons-hint reasons-fault"}
        >
          {entries["reasons"]}
        </textarea>
        <p class="hint" id="reasons-hint">
          {`A reason a line: its code, |, and its text, such as “(b)(6) | Personal privacy”. Two columns pasted from a spreadsheet work too. At most ${MOST_REASONS} reasons.`}
        </p>
        {fault !== undefined && (
          <p class="fault" id="reasons-fault">
            {fault}
          </p>
        )}
      </div>
      <Table
        caption="Reasons by default"
        columns={["Category", "Reason"]}
        rows={REDACTION_CATEGORIES.map((category) => ({
          head: shownName(category),
          cells: [
            <DefaultMenu
              category={category}
              codes={codes}
              chosen={entries[defaultField(category)] ?? ""}
              fault={faults[defaultField(category)]}
            />,
          ],
        }))}
      />
      <p class="hint">Save the list to choose a reason that you have just added.</p>
      <div>
        <button class="primary">Save reasons</button>
      </div>
    </form>
  );
}

function DefaultMenu({
  category,
  codes,
  chosen,
  fault,
}: {
  category: RedactionCategory;
  codes: readonly string[];
  chosen: string;
  fault: string | undefined;
}) {
  const field = defaultField(category);
  const offered = chosen === "" || codes.includes(chosen) ? codes : [chosen, ...codes];
  return (
    <>
      <select
        name={field}
        aria-label={`Reason of ${shownName(category)}`}
        aria-invalid={fault === undefined ? undefined : "true"}
        aria-describedby={fault === undefined ? undefined : `${field}-fault`}
        autocomplete="off"
      >
        <option value="">None</option>
        {offered.map((code) => (
          <option value={code} selected={code === chosen}>
            {code}
          </option>
        ))}
      </select>
      {fault !== undefined && (
        <span class="fault" id={`${field}-fault`}>
          {fault}
        </span>
      )}
    </>
  );
}
