import {
  NO_RULES,
  RULE_SUBJECTS,
  reviewRulesSchema,
  type ReviewRules,
  type RuleSubject,
} from "../../../records/review/review-rules.schemas.ts";
import type { FormFaults, FormResult } from "../request/dashboard.http.ts";

/** The submitted values of a form of rules, by field. */
export type RuleEntries = Readonly<Record<string, string>>;

/** The fields of a form that belong to a subject. */
export function ruleFields(subject: RuleSubject): { moreThan: string; from: string; to: string } {
  return { moreThan: `more_than_${subject}`, from: `from_${subject}`, to: `to_${subject}` };
}

/** The field of the rule that sends files with findings of a second reading to review. */
export const VERIFICATION_FIELD = "verification_findings";

/** The choices of a form that replace a rule for each category. */
export type RulePreset = "none" | "uncertain" | "everything" | "custom";

/** The fields of the preset "Only uncertain". */
export const UNCERTAIN_FIELDS = { from: "uncertain_from", to: "uncertain_to" } as const;

/** The default range of uncertain confidences. */
export const DEFAULT_RANGE = { fromPercent: 30, toPercent: 60 } as const;

/** The preset that equals these rules. */
export function presetOf({ moreThan, between }: ReviewRules): RulePreset {
  const [limits, ranges] = [Object.keys(moreThan), Object.keys(between)];
  if (limits.length === 0 && ranges.length === 0) return "none";
  if (ranges.length === 0 && limits.length === 1 && moreThan.all === 0) return "everything";
  return limits.length === 0 && ranges.length === 1 && between.all !== undefined ? "uncertain" : "custom";
}

/** The rules of a form: those of its preset, or those of each category. Empty fields are no rules. */
export function readRules(entered: RuleEntries): FormResult<ReviewRules> {
  const read = readPreset(entered);
  if (read.faults !== undefined || entered[VERIFICATION_FIELD] !== "on") return read;
  return { data: { ...read.data, verificationFindings: true } };
}

function readPreset(entered: RuleEntries): FormResult<ReviewRules> {
  const { preset } = entered;
  if (preset === "none") return { data: NO_RULES };
  if (preset === "everything") return { data: { moreThan: { all: 0 }, between: {} } };
  return preset === "uncertain" ? readUncertain(entered) : readByCategory(entered);
}

function readUncertain(entered: RuleEntries): FormResult<ReviewRules> {
  const { from, to } = UNCERTAIN_FIELDS;
  const fields = ruleFields("all");
  const read = readByCategory({
    [fields.from]: entered[from]?.trim() || String(DEFAULT_RANGE.fromPercent),
    [fields.to]: entered[to]?.trim() || String(DEFAULT_RANGE.toPercent),
  });
  if (read.faults === undefined) return read;
  return {
    faults: Object.fromEntries(
      Object.entries(read.faults).map(([field, fault]) => [field === fields.to ? to : from, fault]),
    ),
  };
}

function readByCategory(entered: RuleEntries): FormResult<ReviewRules> {
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
