import { asc, eq, sql } from "drizzle-orm";
import { entryOfChange, type Deed } from "../audit/audit.repository.ts";
import { sessions, twoFactors, users } from "./identity.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { memberships } from "./teams.table.ts";

/** A user, as far as a reset of the second factor needs to know. */
export interface ResettableUser {
  readonly id: string;
  readonly email: string;
  readonly hasSecondFactor: boolean;
  /** Sessions of the user, expired ones included. */
  readonly sessions: number;
}

/** The user with this address; undefined if there is none. */
export async function findResettableUser(
  { orm }: Database,
  email: string,
): Promise<ResettableUser | undefined> {
  const [found] = await orm
    .select({
      id: users.id,
      email: users.email,
      // Table names are written out: in a select from one table, Drizzle omits them.
      hasSecondFactor: sql<boolean>`(coalesce(users.two_factor_enabled, 0) OR EXISTS
        (SELECT 1 FROM two_factors WHERE two_factors.user_id = users.id))`.mapWith(Boolean),
      sessions: sql<number>`(SELECT count(*) FROM sessions WHERE sessions.user_id = users.id)`,
    })
    .from(users)
    .where(eq(users.email, email))
    .limit(1);
  return found;
}

/**
 * Removes a user's second factor and backup codes and ends all sessions, in one transaction, with an entry in the audit trail of
 * every team that the user belongs to.
 */
export async function resetSecondFactorOf(
  database: Database,
  userId: string,
  { actor, requestId, nowMs }: Omit<Deed, "accountId">,
): Promise<void> {
  const { orm } = database;
  const teams = await orm
    .select({ accountId: memberships.accountId })
    .from(memberships)
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.accountId));
  const done = { kind: "user.second_factor_reset", subjectId: userId } as const;
  await orm.batch([
    orm.delete(twoFactors).where(eq(twoFactors.userId, userId)),
    orm.delete(sessions).where(eq(sessions.userId, userId)),
    orm
      .update(users)
      .set({ twoFactorEnabled: false, updatedAt: new Date(nowMs) })
      .where(eq(users.id, userId)),
    // Each entry is written if the statement before it changed a row. The entry before it counts as one.
    ...teams.map(({ accountId }) => entryOfChange(database, { accountId, actor, requestId, nowMs }, done)),
  ]);
}
