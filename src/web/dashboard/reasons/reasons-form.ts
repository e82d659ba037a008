import {
  CODE_RULE,
  isReasonCode,
  MOST_REASONS,
  MOST_TEXT_CHARACTERS,
  type Reason,
  type ReasonList,
} from "../../../records/masking/reasons.schemas.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import type { FormFaults, FormResult } from "../request/dashboard.http.ts";

/** Separates a code from its text in a line of the form. */
const SEPARATOR = "|";
/** Most lines that an error names. Nobody would read more. */
const MOST_NAMED = 5;

/** The values of the form of reasons, by field. */
export type ReasonEntries = Readonly<Record<string, string>>;

/** The field of a category's default reason. */
export function defaultField(category: RedactionCategory): string {
  return `default_${category}`;
}

/** A list of reasons as the form shows it, one per line. */
export function linesOf(reasons: readonly Reason[]): string {
  return reasons.map(({ code, text }) => `${code} ${SEPARATOR} ${text}`).join("\n");
}

/** A list as the form's values. */
export function entriesOf({ reasons, defaults }: ReasonList): ReasonEntries {
  const entries: Record<string, string> = { reasons: linesOf(reasons) };
  for (const [category, code] of Object.entries(defaults)) entries[`default_${category}`] = code;
  return entries;
}

/** The codes of the valid lines, for the menus of the form. */
export function codesIn(entries: ReasonEntries): string[] {
  return [...new Set(readLines(entries["reasons"] ?? "").reasons.map(({ code }) => code))];
}

/** The list that a form asks for, or its errors by field. A line is a code, `|` or a tab, and a text. */
export function readReasons(entries: ReasonEntries): FormResult<ReasonList> {
  const { reasons, faults } = readLines(entries["reasons"] ?? "");
  const wrong: Record<string, string> = {};
  if (faults.length > 0) wrong["reasons"] = faults.slice(0, MOST_NAMED).join(" ");
  else if (reasons.length > MOST_REASONS)
    wrong["reasons"] = `There are ${reasons.length} reasons; the limit is ${MOST_REASONS}.`;
  const codes = new Set(reasons.map(({ code }) => code));
  const defaults: ReasonList["defaults"] = {};
  for (const category of REDACTION_CATEGORIES) {
    const field = defaultField(category);
    const code = entries[field]?.trim() ?? "";
    if (code === "") continue;
    if (codes.has(code)) defaults[category] = code;
    else wrong[field] = `The list has no reason ${code}. Choose another one, or none.`;
  }
  return Object.keys(wrong).length > 0
    ? { faults: wrong satisfies FormFaults }
    : { data: { reasons, defaults } };
}

function readLines(text: string): { readonly reasons: Reason[]; readonly faults: string[] } {
  const reasons: Reason[] = [];
  const faults: string[] = [];
  const known = new Set<string>();
  for (const [index, line] of text.split(/\r?\n/u).entries()) {
    if (line.trim() === "") continue;
    const at = line.search(/[|\t]/u);
    const [code, words] = at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    const place = `Line ${index + 1}`;
    if (words === "") faults.push(`${place}: expected a code, ${SEPARATOR}, and a text.`);
    else if (!isReasonCode(code))
      faults.push(`${place}: “${code.slice(0, 40)}” is not a code; expected ${CODE_RULE}.`);
    else if (words.length > MOST_TEXT_CHARACTERS)
      faults.push(`${place}: the text has ${words.length} characters; the limit is ${MOST_TEXT_CHARACTERS}.`);
    else if (known.has(code)) faults.push(`${place}: the code ${code} is already in the list.`);
    else reasons.push({ code, text: words });
    known.add(code);
  }
  return { reasons, faults };
}
