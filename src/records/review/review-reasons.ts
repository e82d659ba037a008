import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import { RULE_SUBJECTS, type ReviewRules, type RuleSubject } from "./review-rules.schemas.ts";

/** Why a person should review a media item: counts and limits, no positions. */
export type ReviewReason =
  | { readonly kind: "detect_only" }
  /** A person requested the review. */
  | { readonly kind: "requested" }
  /** A second reading has this many findings. */
  | { readonly kind: "verification"; readonly found: number }
  | { readonly kind: "many"; readonly subject: RuleSubject; readonly found: number; readonly limit: number }
  | {
      readonly kind: "doubtful";
      readonly subject: RuleSubject;
      readonly found: number;
      readonly fromPercent: number;
      readonly toPercent: number;
    };

/** A detection of a photo, or a track of a video. */
export interface Finding {
  readonly category: RedactionCategory | null;
  /** Null for a region that a person requested. Rules do not count those. */
  readonly confidence: number | null;
  readonly isOpen?: boolean | undefined;
}

/**
 * Why a person should review what was found; empty if no rule applies. A "more than" rule counts hidden detections. A confidence rule also
 * considers visible ones, because a doubtful detection may be wrong either way.
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
      // Confidences are stored with five decimals. Without rounding, 0.57 × 100 is less than 57.
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
