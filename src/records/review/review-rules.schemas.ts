import { z } from "zod";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";

/** The subject of a rule: one category, or all together. */
export const RULE_SUBJECTS = ["all", ...REDACTION_CATEGORIES] as const;
export type RuleSubject = (typeof RULE_SUBJECTS)[number];

const MOST_DETECTIONS = 10_000;

/** More than this many hidden detections. */
const countSchema = z
  .int(`The number must be a whole one from 0 to ${MOST_DETECTIONS}.`)
  .min(0, `The number must be at least 0.`)
  .max(MOST_DETECTIONS, `The number must be at most ${MOST_DETECTIONS}.`);

const percentSchema = z
  .int("The confidence must be a whole number of percent from 0 to 100.")
  .min(0, "The confidence must be at least 0 percent.")
  .max(100, "The confidence must be at most 100 percent.");

/** Any detection whose confidence is between `fromPercent` and `toPercent`, hidden or not. */
const rangeSchema = z
  .strictObject({ fromPercent: percentSchema, toPercent: percentSchema })
  .refine(({ fromPercent, toPercent }) => fromPercent <= toPercent, {
    error: "The first confidence is above the second.",
  });

/** An account's rules for which media items a person should review. */
export const reviewRulesSchema = z.strictObject({
  moreThan: z.partialRecord(z.enum(RULE_SUBJECTS), countSchema),
  between: z.partialRecord(z.enum(RULE_SUBJECTS), rangeSchema),
  /** Whether findings of a second reading send a media item to review. */
  verificationFindings: z.boolean().optional(),
});

export type ReviewRules = z.output<typeof reviewRulesSchema>;

export const NO_RULES: ReviewRules = { moreThan: {}, between: {} };
