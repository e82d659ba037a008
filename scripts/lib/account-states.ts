import { z } from "zod";
import { makeChange } from "../../src/audit/audit.repository.ts";
import { query, type DatabaseTarget } from "./database.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";

const MAX_REASON_CHARACTERS = 200;

const stateSchema = z.object({
  name: z.string(),
  suspendedAt: z.number().nullable(),
  suspendedReason: z.string().nullable(),
  deletionRequestedAt: z.number().nullable(),
});
type AccountState = z.output<typeof stateSchema>;

/** Suspends an account: its API keys and members are refused from now on. If the account is suspended already, replaces the reason. */
export async function suspendAccount(
  target: DatabaseTarget,
  { accountId, reason }: { accountId: string; reason: string | undefined },
): Promise<{ accountId: string } & AccountState> {
  refuseDeleting(accountId, await requireState(target, accountId));
  const database = outsideDatabase(target);
  const deed = deedOn(accountId);
  const suspend = database.raw
    .prepare(
      `UPDATE accounts SET suspended_at = coalesce(suspended_at, ?2), suspended_reason = ?3
       WHERE id = ?1 AND deletion_requested_at IS NULL`,
    )
    .bind(accountId, deed.nowMs, reason === undefined ? null : checkedReason(reason));
  await makeChange(database, suspend, { deed, done: { kind: "account.suspended", subjectId: accountId } });
  return { accountId, ...(await requireState(target, accountId)) };
}

/** Ends a suspension. @throws a sentence if the account is not suspended */
export async function resumeAccount(
  target: DatabaseTarget,
  accountId: string,
): Promise<{ accountId: string } & AccountState> {
  const state = await requireState(target, accountId);
  refuseDeleting(accountId, state);
  if (state.suspendedAt === null) throw new Error(`The account ${accountId} is not suspended.`);
  const database = outsideDatabase(target);
  const resume = database.raw
    .prepare(
      `UPDATE accounts SET suspended_at = NULL, suspended_reason = NULL
       WHERE id = ?1 AND suspended_at IS NOT NULL AND deletion_requested_at IS NULL`,
    )
    .bind(accountId);
  const deed = deedOn(accountId);
  await makeChange(database, resume, { deed, done: { kind: "account.resumed", subjectId: accountId } });
  return { accountId, ...(await requireState(target, accountId)) };
}

/** How far a deletion is. */
export interface AccountDeletion {
  readonly accountId: string;
  readonly state: "deleting" | "deleted";
  readonly deletionRequestedAt: number | null;
  readonly deletedAt: number | null;
  readonly mediaLeft: number;
  /** Media whose stored files are deleted once more, half an hour after their deletion. */
  readonly purgesLeft: number;
}

/**
 * Requests the deletion of an account and suspends it for good; the sweeper does the rest. A second request, even after the
 * deletion, changes nothing and says how far it is.
 *
 * @param confirm the account's name
 */
export async function deleteAccount(
  target: DatabaseTarget,
  { accountId, confirm }: { accountId: string; confirm: string | undefined },
): Promise<AccountDeletion> {
  const state = await findState(target, accountId);
  if (state === undefined) return await finishedDeletion(target, accountId);
  if (confirm !== state.name) throw notConfirmed(confirm, state.name);
  const database = outsideDatabase(target);
  const deed = deedOn(accountId);
  const request = database.raw
    .prepare(
      `UPDATE accounts SET deletion_requested_at = ?2, suspended_at = coalesce(suspended_at, ?2)
       WHERE id = ?1 AND deletion_requested_at IS NULL`,
    )
    .bind(accountId, deed.nowMs);
  await makeChange(database, request, {
    deed,
    done: { kind: "account.deletion_requested", subjectId: accountId },
  });
  const [progress] = await query(
    target,
    `SELECT deletion_requested_at AS deletionRequestedAt, (SELECT count(*) FROM media WHERE account_id = ?1) AS mediaLeft,
       (SELECT count(*) FROM object_purges WHERE account_id = ?1) AS purgesLeft
     FROM accounts WHERE id = ?1`,
    [accountId],
  );
  if (progress === undefined) return await finishedDeletion(target, accountId);
  return {
    accountId,
    state: "deleting",
    deletedAt: null,
    deletionRequestedAt: Number(progress["deletionRequestedAt"]),
    mediaLeft: Number(progress["mediaLeft"]),
    purgesLeft: Number(progress["purgesLeft"]),
  };
}

async function finishedDeletion(target: DatabaseTarget, accountId: string): Promise<AccountDeletion> {
  const rows = await query(
    target,
    `SELECT kind, created_at AS createdAt FROM audit_entries
     WHERE account_id = ? AND kind IN ('account.deletion_requested', 'account.deleted') ORDER BY id`,
    [accountId],
  );
  const timeOf = (kind: string): number | null => {
    const row = rows.find((one) => one["kind"] === kind);
    return row === undefined ? null : Number(row["createdAt"]);
  };
  const deletedAt = timeOf("account.deleted");
  if (deletedAt === null) throw new Error(`There is no account ${accountId}.`);
  return {
    accountId,
    state: "deleted",
    deletionRequestedAt: timeOf("account.deletion_requested"),
    deletedAt,
    mediaLeft: 0,
    purgesLeft: 0,
  };
}

async function requireState(target: DatabaseTarget, accountId: string): Promise<AccountState> {
  const state = await findState(target, accountId);
  if (state === undefined) throw new Error(`There is no account ${accountId}.`);
  return state;
}

async function findState(target: DatabaseTarget, accountId: string): Promise<AccountState | undefined> {
  const [found] = await query(
    target,
    `SELECT name, suspended_at AS suspendedAt, suspended_reason AS suspendedReason,
       deletion_requested_at AS deletionRequestedAt
     FROM accounts WHERE id = ?`,
    [accountId],
  );
  return found === undefined ? undefined : stateSchema.parse(found);
}

function refuseDeleting(accountId: string, { deletionRequestedAt }: AccountState): void {
  if (deletionRequestedAt !== null)
    throw new Error(`The account ${accountId} is being deleted, which cannot be undone.`);
}

/** The reason as callers read it: one line, without the full stop that their sentence has. */
function checkedReason(reason: string): string {
  const text = reason.replaceAll(/\s+/g, " ").trim().replace(/\.+$/, "");
  if (text === "" || text.length > MAX_REASON_CHARACTERS)
    throw new Error(
      `--reason has ${text.length} characters; expected 1 to ${MAX_REASON_CHARACTERS}. Callers of the API read it.`,
    );
  return text;
}

function notConfirmed(confirm: string | undefined, name: string): Error {
  const found = confirm === undefined ? "--confirm is missing" : `--confirm is ${JSON.stringify(confirm)}`;
  return new Error(`${found}; expected the account's name, ${JSON.stringify(name)}. Nothing was deleted.`);
}
