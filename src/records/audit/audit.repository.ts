import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { newId } from "../../ground/platform/ids.ts";
import { auditEntries, type ACTOR_KINDS, type AuditKind } from "./audit.table.ts";

/** Who did something: a dashboard user, a program with an API key, or the service's operator. */
export interface Actor {
  readonly kind: (typeof ACTOR_KINDS)[number];
  readonly id: string;
}

/** The operator, who has no user: anyone with outside access to the database. */
export const OPERATOR: Actor = { kind: "operator", id: "operator" };

/** Who did something, in which account, with which request, and when. */
export interface Deed {
  readonly accountId: string;
  readonly actor: Actor;
  readonly requestId: string;
  readonly nowMs: number;
}

/** An action and its subject. */
export interface Done {
  readonly kind: AuditKind;
  readonly subjectId: string;
  readonly detail?: string | undefined;
}

/**
 * The Drizzle statement that records a change in the audit trail. It must follow the changing statement directly in the same
 * batch. It inserts nothing if that statement changed nothing (SQLite, `changes()`).
 */
export function entryOfChange({ orm }: Database, deed: Deed, done: Done) {
  const { accountId, actor, requestId, nowMs } = deed;
  const { kind, subjectId, detail = null } = done;
  return orm.insert(auditEntries).select(
    sql`SELECT ${newId("auditEntry", nowMs)}, ${accountId}, ${actor.kind}, ${actor.id}, ${kind}, ${subjectId}, ${detail},
      ${requestId}, ${nowMs}, NULL WHERE changes() > 0`,
  );
}

/** `entryOfChange` for a batch of handwritten statements. */
export function prepareEntry(database: Database, deed: Deed, done: Done): D1PreparedStatement {
  const { sql: text, params } = entryOfChange(database, deed, done).toSQL();
  return database.raw.prepare(text).bind(...params);
}

/** The audit data of a change and of who makes it. */
export interface AuditNote {
  readonly deed: Deed;
  readonly done: Done;
}

/** Makes a change with one statement and records it, both or neither. @returns the statement's result */
export async function makeChange<Row>(
  database: Database,
  change: D1PreparedStatement,
  note: AuditNote | undefined,
): Promise<D1Result<Row> | undefined> {
  const entry = note === undefined ? [] : [prepareEntry(database, note.deed, note.done)];
  const [result] = await database.raw.batch<Row>([change, ...entry]);
  return result;
}

/** An action that is recorded once under its key, however often it happens. */
export interface DoneOnce {
  readonly done: Done;
  readonly onceKey: string;
}

/** Records actions that change no stored data, all or none, except those already recorded under their keys. */
export async function insertOnce(
  database: Database,
  deed: Deed,
  entries: readonly [DoneOnce, ...DoneOnce[]],
): Promise<void> {
  const [first, ...others] = entries;
  await database.orm.batch([
    entryOnce(database, deed, first),
    ...others.map((entry) => entryOnce(database, deed, entry)),
  ]);
}

function entryOnce(database: Database, deed: Deed, { done, onceKey }: DoneOnce) {
  const { accountId, actor, requestId, nowMs } = deed;
  return database.orm
    .insert(auditEntries)
    .values({
      id: newId("auditEntry", nowMs),
      accountId,
      actorKind: actor.kind,
      actorId: actor.id,
      kind: done.kind,
      subjectId: done.subjectId,
      detail: done.detail ?? null,
      requestId,
      createdAt: nowMs,
      onceKey,
    })
    .onConflictDoNothing();
}

/** When an account's entries of these kinds were written, oldest first. */
export async function findEntryTimes(
  { orm }: Database,
  accountId: string,
  kinds: readonly AuditKind[],
): Promise<{ readonly kind: AuditKind; readonly createdAt: number }[]> {
  return await orm
    .select({ kind: auditEntries.kind, createdAt: auditEntries.createdAt })
    .from(auditEntries)
    .where(and(eq(auditEntries.accountId, accountId), inArray(auditEntries.kind, [...kinds])))
    .orderBy(asc(auditEntries.id));
}

/** Deletes at most `limit` entries from before `beforeMs`, oldest first. */
export async function forgetOldEntries(
  database: Database,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const { meta } = await database.raw
    .prepare(
      `DELETE FROM audit_entries WHERE id IN
         (SELECT id FROM audit_entries WHERE id < ?1 ORDER BY id LIMIT ?2)`,
    )
    .bind(firstIdAt(beforeMs), limit)
    .run();
  return meta.changes;
}

/** The smallest ID of an entry at this millisecond. Earlier entries have smaller IDs, and later ones larger IDs (RFC 9562 §5.7). */
export function firstIdAt(atMs: number): string {
  const hex = Math.min(Math.max(0, Math.floor(atMs)), 0xffff_ffff_ffff)
    .toString(16)
    .padStart(12, "0");
  return `aud_${hex.slice(0, 8)}-${hex.slice(8)}`;
}
