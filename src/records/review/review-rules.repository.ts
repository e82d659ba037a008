import { eq } from "drizzle-orm";
import { entryOfChange, type Deed } from "../audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ReviewRules } from "./review-rules.schemas.ts";
import { reviewRules } from "./review.table.ts";

/** An account's rules; undefined if it has none. */
export async function findReviewRules(
  { orm }: Database,
  accountId: string,
): Promise<ReviewRules | undefined> {
  const [row] = await orm
    .select({ rules: reviewRules.rules })
    .from(reviewRules)
    .where(eq(reviewRules.accountId, accountId))
    .limit(1);
  return row?.rules;
}

/** Sets an account's rules, which apply to media items that are completed from now on. */
export async function saveReviewRules(database: Database, rules: ReviewRules, deed: Deed): Promise<void> {
  const { accountId, nowMs: changedAt } = deed;
  await database.orm.batch([
    database.orm
      .insert(reviewRules)
      .values({ accountId, rules, changedAt })
      .onConflictDoUpdate({ target: reviewRules.accountId, set: { rules, changedAt } }),
    entryOfChange(database, deed, { kind: "review_rules.changed", subjectId: accountId }),
  ]);
}
