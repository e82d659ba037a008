import { and, desc, eq, gt, inArray } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { MINUTE_MS } from "../../ground/platform/clock.ts";
import { newId, newUuid, sha256Hex } from "../../ground/platform/ids.ts";
import { sessions, signInMethods, users } from "./identity.table.ts";

/** Longer than a code is accepted: for its own half minute, the one before, and the one after. */
const SPENT_CODE_MS = 2 * MINUTE_MS;

/** The user with this address. If there is none, creates one with the address confirmed. */
export async function ensureUser(
  database: Database,
  { email, name, nowMs }: { email: string; name: string; nowMs: number },
): Promise<string> {
  await database.raw
    .prepare(
      `INSERT INTO users (id, name, email, email_verified, created_at, updated_at) VALUES (?1, ?2, ?3, 1, ?4, ?4)
       ON CONFLICT (email) DO NOTHING`,
    )
    .bind(newId("user"), name, email, nowMs)
    .run();
  const [found] = await database.orm
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, email))
    .limit(1);
  if (found === undefined) throw new Error("The user could not be made.");
  return found.id;
}

/** The user with this address; undefined if there is none. */
export async function findUserByEmail({ orm }: Database, email: string): Promise<string | undefined> {
  const [found] = await orm.select({ id: users.id }).from(users).where(eq(users.email, email)).limit(1);
  return found?.id;
}

/** A browser that is signed in. */
export type SessionListing = Awaited<ReturnType<typeof sessionsOf>>[number];

/** The browsers in which a user is signed in, latest first. */
export async function sessionsOf(database: Database, userId: string, nowMs: number) {
  return await database.orm
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      ipAddress: sessions.ipAddress,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, new Date(nowMs))))
    .orderBy(desc(sessions.updatedAt), desc(sessions.id));
}

/** Signs out one of a user's browsers. @returns whether the user had such a session */
export async function endSession(
  database: Database,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<boolean> {
  const { meta } = await database.orm
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.userId, userId)))
    .run();
  return meta.changes > 0;
}

/** Ends the session of a token that was never handed out. */
export async function dropSession(database: Database, token: string): Promise<void> {
  await database.orm.delete(sessions).where(eq(sessions.token, token));
}

/**
 * Records that a code of a user's authenticator app was used to sign in. @returns whether this was the first time, because a
 * code must not be accepted twice (RFC 6238 §5.2)
 */
export async function spendCode(
  database: Database,
  { userId, code, nowMs }: { userId: string; code: string; nowMs: number },
): Promise<boolean> {
  const ofUser = `spent-code:${userId}:`;
  const identifier = `${ofUser}${await sha256Hex(code)}`;
  const [, spent] = await database.raw.batch([
    database.raw
      .prepare("DELETE FROM verifications WHERE identifier >= ?1 AND identifier < ?2 AND expires_at <= ?3")
      .bind(ofUser, `${ofUser}~`, nowMs),
    database.raw
      .prepare(
        `INSERT INTO verifications (id, identifier, value, expires_at, created_at, updated_at)
         SELECT ?1, ?2, '', ?3, ?4, ?4 WHERE NOT EXISTS (SELECT 1 FROM verifications WHERE identifier = ?2)`,
      )
      .bind(newUuid(nowMs), identifier, nowMs + SPENT_CODE_MS, nowMs),
  ]);
  return (spent?.meta.changes ?? 0) > 0;
}

/** Whether a user signs in with a password. */
export async function hasPassword(database: Database, userId: string): Promise<boolean> {
  const found = await database.orm
    .select({ id: signInMethods.id })
    .from(signInMethods)
    .where(and(eq(signInMethods.userId, userId), eq(signInMethods.providerId, "credential")))
    .limit(1);
  return found.length > 0;
}

/** Records which team's data a session shows. */
export async function setActiveTeam(database: Database, sessionId: string, accountId: string): Promise<void> {
  await database.orm.update(sessions).set({ activeAccountId: accountId }).where(eq(sessions.id, sessionId));
}

/** The names of users by their IDs, without users who no longer exist. */
export async function usersNamed(
  database: Database,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.orm
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(inArray(users.id, [...userIds]));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
