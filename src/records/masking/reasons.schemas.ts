import { z } from "zod";
import { isPrintable } from "../../pixels/redaction/painting/label-font.ts";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";

/** The most reasons of an account. */
export const MOST_REASONS = 200;
export const MOST_CODE_CHARACTERS = 20;
export const MOST_TEXT_CHARACTERS = 200;

/** What a code looks like. Its characters are those that can be printed on a mask. */
export const CODE_RULE = `1 to ${MOST_CODE_CHARACTERS} letters, digits, spaces, § and punctuation`;

/** Whether a text can be the code of a reason. */
export function isReasonCode(text: string): boolean {
  const hasLength = text.length >= 1 && text.length <= MOST_CODE_CHARACTERS;
  return hasLength && isPrintable(text) && text.trim() === text;
}

/** Why something is hidden: a short code, and its meaning in words. */
const reasonSchema = z.strictObject({
  code: z.string().refine(isReasonCode, `A code has ${CODE_RULE}.`),
  text: z
    .string()
    .trim()
    .min(1, "A reason has a text after its code.")
    .max(MOST_TEXT_CHARACTERS, `A text has at most ${MOST_TEXT_CHARACTERS} characters.`),
});

export type Reason = z.output<typeof reasonSchema>;

const reasonsSchema = z.array(reasonSchema).max(MOST_REASONS, `A list has at most ${MOST_REASONS} reasons.`);
const defaultsSchema = z.partialRecord(z.enum(REDACTION_CATEGORIES), z.string());

/** The codes that masks of a category get unless a person chooses another. */
export type DefaultReasons = z.output<typeof defaultsSchema>;

/** An account's reasons. */
const reasonListSchema = z.strictObject({ reasons: reasonsSchema, defaults: defaultsSchema });

export type ReasonList = z.output<typeof reasonListSchema>;

/** The list of an account that has none. */
export const NO_REASONS: ReasonList = { reasons: [], defaults: {} };

/** The text of each code in a list. */
export type ReasonTexts = Readonly<Record<string, string>>;

/** The texts of a list's codes. */
export function textsOf({ reasons }: ReasonList): ReasonTexts {
  return Object.fromEntries(reasons.map(({ code, text }) => [code, text]));
}
