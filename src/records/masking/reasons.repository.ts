import { eq } from "drizzle-orm";
import { entryOfChange, type Deed } from "../audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { NO_REASONS, type ReasonList } from "./reasons.schemas.ts";
import { accountReasons } from "./masking.table.ts";

/** An account's reasons, none if it has no list. */
export async function findReasonList({ orm }: Database, accountId: string): Promise<ReasonList> {
  const [row] = await orm
    .select({ reasons: accountReasons.reasons, defaults: accountReasons.defaults })
    .from(accountReasons)
    .where(eq(accountReasons.accountId, accountId))
    .limit(1);
  return row ?? NO_REASONS;
}

/** Replaces an account's reasons, with an entry in its audit trail. Masks that carry a reason keep it with its text. */
export async function saveReasonList(
  database: Database,
  { reasons, defaults }: ReasonList,
  deed: Deed,
): Promise<void> {
  const { accountId, nowMs: changedAt } = deed;
  await database.orm.batch([
    database.orm
      .insert(accountReasons)
      .values({ accountId, reasons, defaults, changedAt })
      .onConflictDoUpdate({ target: accountReasons.accountId, set: { reasons, defaults, changedAt } }),
    entryOfChange(database, deed, { kind: "reasons.changed", subjectId: accountId }),
  ]);
}
