import {
  RULE_SUBJECTS,
  reviewRulesSchema,
  type ReviewRules,
  type RuleSubject,
} from "../../review/review-rules.schemas.ts";
import type { FormFaults, FormResult } from "./dashboard.http.ts";

/** The submitted values of a form of rules, by field. */
export type RuleEntries = Readonly<Record<string, string>>;

/** The fields of a form that belong to a subject. */
export function ruleFields(subject: RuleSubject): { moreThan: string; from: string; to: string } {
  return { moreThan: `more_than_${subject}`, from: `from_${subject}`, to: `to_${subject}` };
}

/** The rules that a form asks for; what is left empty is no rule. */
export function readRules(entered: RuleEntries): FormResult<ReviewRules> {
  const valueOf = (field: string): string => entered[field]?.trim() ?? "";
  const moreThan: Record<string, number> = {};
  const between: Record<string, object> = {};
  for (const subject of RULE_SUBJECTS) {
    const fields = ruleFields(subject);
    const [most, from, to] = [valueOf(fields.moreThan), valueOf(fields.from), valueOf(fields.to)];
    if (most !== "") moreThan[subject] = Number(most);
    if (from !== "" || to !== "")
      between[subject] = {
        fromPercent: from === "" ? 0 : Number(from),
        toPercent: to === "" ? 100 : Number(to),
      };
  }
  const result = reviewRulesSchema.safeParse({ moreThan, between });
  if (result.success) return { data: result.data };
  return { faults: faultsOf(result.error.issues) };
}

function faultsOf(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): FormFaults {
  const faults: Record<string, string> = {};
  for (const { path, message } of issues) {
    const subject = RULE_SUBJECTS.find((known) => known === path[1]);
    if (subject === undefined) continue;
    const fields = ruleFields(subject);
    const field =
      path[0] === "moreThan" ? fields.moreThan : path[2] === "toPercent" ? fields.to : fields.from;
    faults[field] ??= message;
  }
  return faults;
}
