import type { RedactionCategory } from "../../ground/vocabulary/media-values.ts";
import { RULE_SUBJECTS, type ReviewRules, type RuleSubject } from "./review-rules.schemas.ts";

/** Why a person should look at a media: counts and limits, no places. */
export type ReviewReason =
  | { readonly kind: "detect_only" }
  /** A person has sent it to review. */
  | { readonly kind: "requested" }
  /** A second reading found so many things. */
  | { readonly kind: "verification"; readonly found: number }
  | { readonly kind: "many"; readonly subject: RuleSubject; readonly found: number; readonly limit: number }
  | {
      readonly kind: "doubtful";
      readonly subject: RuleSubject;
      readonly found: number;
      readonly fromPercent: number;
      readonly toPercent: number;
    };

/** One thing that was found: a detection of a photo, or a track of a video. */
export interface Finding {
  readonly category: RedactionCategory | null;
  /** Null of what a person asked for: rules do not count that. */
  readonly confidence: number | null;
  readonly isOpen?: boolean | undefined;
}

/**
 * Why a person should look at what was found; nothing where no rule says so. "More than" counts what is hidden; a confidence counts
 * where it was left open too, for a doubt is about both.
 */
export async function reasonsFor(
  findings: Iterable<Finding> | AsyncIterable<Finding>,
  rules: ReviewRules,
): Promise<ReviewReason[]> {
  const hidden = new Map<RuleSubject, number>();
  const doubtful = new Map<RuleSubject, number>();
  for await (const { category, confidence, isOpen } of findings) {
    if (category === null || confidence === null) continue;
    for (const subject of [category, "all"] as const) {
      if (isOpen !== true) hidden.set(subject, (hidden.get(subject) ?? 0) + 1);
      const range = rules.between[subject];
      if (range === undefined) continue;
      // Stored to five decimals: 0.57 times 100 alone would be less than 57.
      const percent = Math.round(confidence * 1e5) / 1e3;
      if (percent < range.fromPercent || percent > range.toPercent) continue;
      doubtful.set(subject, (doubtful.get(subject) ?? 0) + 1);
    }
  }
  const reasons: ReviewReason[] = [];
  for (const subject of RULE_SUBJECTS) {
    const [limit, range] = [rules.moreThan[subject], rules.between[subject]];
    const many = hidden.get(subject) ?? 0;
    const doubts = doubtful.get(subject) ?? 0;
    if (limit !== undefined && many > limit) reasons.push({ kind: "many", subject, found: many, limit });
    if (range !== undefined && doubts > 0)
      reasons.push({ kind: "doubtful", subject, found: doubts, ...range });
  }
  return reasons;
}
