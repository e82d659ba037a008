import { and, desc, eq, gt } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import { newId } from "../platform/ids.ts";
import { sessions, signInMethods, users } from "./identity.table.ts";

/** The user with this address; made, with the address confirmed, when there is none. */
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

/** A browser that is signed in. */
export type SessionListing = Awaited<ReturnType<typeof sessionsOf>>[number];

/** The browsers that a user is signed in with, the latest first. */
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

/** Signs one of a user's browsers out. @returns whether the user had such a session */
export async function endSession(
  database: Database,
  { userId, sessionId }: { userId: string; sessionId: string },
): Promise<boolean> {
  const result = await database.raw
    .prepare("DELETE FROM sessions WHERE id = ?1 AND user_id = ?2")
    .bind(sessionId, userId)
    .run();
  return result.meta.changes > 0;
}

/** Whether a user signs in by a password. */
export async function hasPassword(database: Database, userId: string): Promise<boolean> {
  const found = await database.orm
    .select({ id: signInMethods.id })
    .from(signInMethods)
    .where(and(eq(signInMethods.userId, userId), eq(signInMethods.providerId, "credential")))
    .limit(1);
  return found.length > 0;
}

/** Notes which team's data a session shows. */
export async function setActiveTeam(database: Database, sessionId: string, accountId: string): Promise<void> {
  await database.raw
    .prepare("UPDATE sessions SET active_account_id = ?2 WHERE id = ?1")
    .bind(sessionId, accountId)
    .run();
}
