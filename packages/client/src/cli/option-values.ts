import { REDACTION_CATEGORIES, type RedactionCategory, type Sensitivity } from "../types.ts";
import { nearest } from "./nearest.ts";

export const SENSITIVITIES = ["low", "normal", "high"] as const satisfies readonly Sensitivity[];

export const DEFAULT_TIMEOUT_SECONDS = 3600;
const LONGEST_TIMEOUT_SECONDS = 7 * 24 * 3600;

/** The command is invalid, and nothing was sent. */
export class UsageError extends Error {}

/** Categories from comma-separated lists, or all of them. @throws UsageError */
export function categoriesOf(texts: readonly string[]): RedactionCategory[] {
  const names = texts.flatMap((text) => text.split(",")).flatMap((name) => given(name.trim()) ?? []);
  if (names.length === 0)
    throw new UsageError(
      `--categories is missing; expected all, or some of ${REDACTION_CATEGORIES.join(", ")}.`,
    );
  if (names.includes("all")) return [...REDACTION_CATEGORIES];
  return names.map((name) => oneOf("--categories", name, REDACTION_CATEGORIES));
}

/** Checks that an option has an accepted value and returns it. @throws UsageError */
export function oneOf<T extends string>(option: string, value: string, accepted: readonly T[]): T {
  const found = accepted.find((one) => one === value);
  if (found === undefined)
    throw new UsageError(
      `${option} is ${JSON.stringify(value)}${didYouMean(value, accepted)}; expected one of ${accepted.join(", ")}.`,
    );
  return found;
}

/** Parses a whole number from 1 to `most`. @throws UsageError */
export function wholeNumber(option: string, text: string, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most)
    throw new UsageError(`${option} is ${JSON.stringify(text)}; expected a whole number from 1 to ${most}.`);
  return value;
}

/** How long a file may take after its upload, in milliseconds. @throws UsageError */
export function timeoutOf({ timeout }: { readonly timeout: string }): number {
  return wholeNumber("--timeout", timeout, LONGEST_TIMEOUT_SECONDS) * 1000;
}

/** Format of media IDs. */
export const MEDIA_ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** Checks that an argument is the ID of a media item. @throws UsageError */
export function mediaIdFrom(text: string): string {
  if (!MEDIA_ID.test(text))
    throw new UsageError(`${JSON.stringify(text)} is not a media ID; expected one that veil list prints.`);
  return text;
}

/** A text, undefined if it is empty. */
export function given(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

/** A hint in parentheses if an accepted word is close to the typed one. */
export function didYouMean(typed: string, accepted: readonly string[]): string {
  const word = nearest(typed, accepted);
  return word === undefined ? "" : ` (did you mean ${word}?)`;
}
