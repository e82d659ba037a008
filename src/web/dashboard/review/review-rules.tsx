import type { Child } from "hono/jsx";
import { RULE_SUBJECTS, type ReviewRules } from "../../../records/review/review-rules.schemas.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import {
  DEFAULT_RANGE,
  UNCERTAIN_FIELDS,
  VERIFICATION_FIELD,
  presetOf,
  ruleFields,
  type RuleEntries,
  type RulePreset,
} from "./review-form.ts";
import { CsrfField, FormFault } from "../parts/forms.tsx";
import { shownSubject } from "./review-reasons.tsx";
import { Table } from "../parts/table.tsx";

const PRESET_NAMES = {
  none: "None",
  everything: "Everything",
  uncertain: "Only uncertain",
  custom: "By category",
} as const satisfies Readonly<Record<RulePreset, string>>;

/** Which files are sent to review automatically. Owners edit the rules; members see them. */
export function ReviewRulesPanel({
  viewer,
  rules,
  faults,
  entered,
}: {
  viewer: Viewer;
  rules: ReviewRules;
  faults?: FormFaults | undefined;
  entered?: RuleEntries | undefined;
}) {
  const isOwner = viewer.team?.role === "owner";
  const preset = presetOf(rules);
  return (
    <details class="panel" open={faults !== undefined || (preset !== "none" && !isOwner)}>
      <summary>
        <h2>{`Rules: ${PRESET_NAMES[preset]}${rules.verificationFindings === true ? ", and verification findings" : ""}`}</h2>
      </summary>
      <p class="soft">
        Which files Veil sends to review by itself. Rules apply to files that complete from now on.
        {!isOwner && " Only owners of the team can change them."}
      </p>
      {isOwner ? (
        <RulesForm viewer={viewer} rules={rules} faults={faults} entered={entered} />
      ) : (
        <RulesInWords rules={rules} />
      )}
    </details>
  );
}

function RulesInWords({ rules }: { rules: ReviewRules }) {
  const used = RULE_SUBJECTS.filter(
    (subject) => rules.moreThan[subject] !== undefined || rules.between[subject] !== undefined,
  );
  const isVerification = rules.verificationFindings === true;
  if (used.length === 0 && !isVerification) return <p>There are no rules.</p>;
  return (
    <ul>
      {used.map((subject) => {
        const [limit, range] = [rules.moreThan[subject], rules.between[subject]];
        const parts = [
          ...(limit === undefined ? [] : [`more than ${limit}`]),
          ...(range === undefined ? [] : [`a confidence from ${range.fromPercent} to ${range.toPercent}%`]),
        ];
        return <li>{`${shownSubject(subject)}: ${parts.join(", or ")}`}</li>;
      })}
      {isVerification && <li>Verification findings</li>}
    </ul>
  );
}

function RulesForm({
  viewer,
  rules,
  faults = {},
  entered = {},
}: {
  viewer: Viewer;
  rules: ReviewRules;
  faults?: FormFaults | undefined;
  entered?: RuleEntries | undefined;
}) {
  const saved = presetOf(rules);
  const chosen = Object.hasOwn(PRESET_NAMES, entered["preset"] ?? "") ? entered["preset"] : saved;
  const isEntered = Object.keys(faults).length > 0;
  const preset = isEntered && entered["preset"] === undefined ? "custom" : chosen;
  const range = (saved === "uncertain" ? rules.between.all : undefined) ?? DEFAULT_RANGE;
  const Percent = ({ side }: { side: "from" | "to" }) => (
    <RuleField
      field={UNCERTAIN_FIELDS[side]}
      label={`Confidence ${side}, percent`}
      value={entered[UNCERTAIN_FIELDS[side]] ?? String(side === "from" ? range.fromPercent : range.toPercent)}
      fault={faults[UNCERTAIN_FIELDS[side]]}
    />
  );
  const Preset = ({ name, children }: { name: RulePreset; children?: Child }) => (
    <div class="rule-preset">
      <label class="check">
        <input
          type="radio"
          name="preset"
          value={name}
          checked={name === preset}
          autocomplete="off"
          aria-describedby={`rule-${name}`}
        />
        <strong>{PRESET_NAMES[name]}</strong>
      </label>
      <div class="soft" id={`rule-${name}`}>
        {children}
      </div>
    </div>
  );
  return (
    <form class="rules-form" method="post" action={`${DASHBOARD_PATH}/review/rules`} novalidate>
      <CsrfField viewer={viewer} />
      <FormFault faults={faults} />
      <fieldset>
        <legend class="unseen">Files to review</legend>
        <Preset name="none">
          Only what somebody sends to review or uploads with “Review before redacting”.
        </Preset>
        <Preset name="uncertain">
          <span class="rule-range">
            Files in which anything was found with a confidence from <Percent side="from" /> to{" "}
            <Percent side="to" /> %, whether it was hidden or not.
          </span>
        </Preset>
        <Preset name="everything">Every file in which something was hidden.</Preset>
        <Preset name="custom">
          A number of masks or a range of confidence for each category. What is left empty is no rule.
        </Preset>
      </fieldset>
      <div class="rules-by-category">
        <Table
          columns={["What", "More than", "Confidence from, %", "to, %"]}
          rows={RULE_SUBJECTS.map((subject) => {
            const fields = ruleFields(subject);
            const name = shownSubject(subject);
            const between = rules.between[subject];
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
                cell(fields.from, "confidence from, percent", between?.fromPercent),
                cell(fields.to, "confidence to, percent", between?.toPercent),
              ],
            };
          })}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          name={VERIFICATION_FIELD}
          checked={isEntered ? entered[VERIFICATION_FIELD] === "on" : rules.verificationFindings === true}
          autocomplete="off"
        />
        Also every file in which the second reading has verification findings
      </label>
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
