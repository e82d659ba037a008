import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { entryOfChange, type Deed } from "../audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { accounts } from "./accounts.table.ts";

/**
 * Suspends an account: its API keys and members are refused from now on. Replaces the reason of an account that is suspended
 * already. An account that is being deleted stays as it is.
 */
export async function suspendAccount(database: Database, reason: string | null, deed: Deed): Promise<void> {
  const { accountId, nowMs } = deed;
  await database.orm.batch([
    database.orm
      .update(accounts)
      .set({ suspendedAt: sql`coalesce(${accounts.suspendedAt}, ${nowMs})`, suspendedReason: reason })
      .where(and(eq(accounts.id, accountId), isNull(accounts.deletionRequestedAt))),
    entryOfChange(database, deed, { kind: "account.suspended", subjectId: accountId }),
  ]);
}

/** Ends the suspension of an account that is not being deleted. */
export async function resumeAccount(database: Database, deed: Deed): Promise<void> {
  const { accountId } = deed;
  await database.orm.batch([
    database.orm
      .update(accounts)
      .set({ suspendedAt: null, suspendedReason: null })
      .where(
        and(
          eq(accounts.id, accountId),
          isNotNull(accounts.suspendedAt),
          isNull(accounts.deletionRequestedAt),
        ),
      ),
    entryOfChange(database, deed, { kind: "account.resumed", subjectId: accountId }),
  ]);
}

/** Requests the deletion of an account and suspends it for good; the sweeper does the rest. A second request changes nothing. */
export async function requestDeletion(database: Database, deed: Deed): Promise<void> {
  const { accountId, nowMs } = deed;
  await database.orm.batch([
    database.orm
      .update(accounts)
      .set({ deletionRequestedAt: nowMs, suspendedAt: sql`coalesce(${accounts.suspendedAt}, ${nowMs})` })
      .where(and(eq(accounts.id, accountId), isNull(accounts.deletionRequestedAt))),
    entryOfChange(database, deed, { kind: "account.deletion_requested", subjectId: accountId }),
  ]);
}
