import {
  requestDeletion,
  resumeAccount as resume,
  suspendAccount as suspend,
} from "../../src/records/accounts/account-states.repository.ts";
import { findAccount, type AccountRow } from "../../src/records/accounts/account-settings.repository.ts";
import { findEntryTimes } from "../../src/records/audit/audit.repository.ts";
import { findDeletionProgress } from "../../src/work/maintenance/account-deletion.repository.ts";
import type { Database } from "../../src/ground/platform/database.ts";
import { homeOf } from "./account-moves.ts";
import { noAccount, requireAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";

const MAX_REASON_CHARACTERS = 200;

type AccountState = Pick<AccountRow, "name" | "suspendedAt" | "suspendedReason" | "deletionRequestedAt">;

/** Suspends an account: its API keys and members are refused from now on. If the account is suspended already, replaces the reason. */
export async function suspendAccount(
  target: DatabaseTarget,
  { accountId, reason }: { accountId: string; reason: string | undefined },
): Promise<{ accountId: string } & AccountState> {
  refuseDeleting(await requireAccount(target, accountId));
  const shown = reason === undefined ? null : checkedReason(reason);
  await suspend(outsideDatabase(target), shown, deedOn(accountId));
  return await stateOf(target, accountId);
}

/** Ends a suspension. @throws a sentence if the account is not suspended */
export async function resumeAccount(
  target: DatabaseTarget,
  accountId: string,
): Promise<{ accountId: string } & AccountState> {
  const account = await requireAccount(target, accountId);
  refuseDeleting(account);
  if (account.suspendedAt === null) throw new Error(`The account ${accountId} is not suspended.`);
  await resume(outsideDatabase(target), deedOn(accountId));
  return await stateOf(target, accountId);
}

async function stateOf(
  target: DatabaseTarget,
  accountId: string,
): Promise<{ accountId: string } & AccountState> {
  const { name, suspendedAt, suspendedReason, deletionRequestedAt } = await requireAccount(target, accountId);
  return { accountId, name, suspendedAt, suspendedReason, deletionRequestedAt };
}

/** The progress of a deletion. */
export interface AccountDeletion {
  readonly accountId: string;
  readonly state: "deleting" | "deleted";
  readonly deletionRequestedAt: number | null;
  readonly deletedAt: number | null;
  readonly mediaLeft: number;
  /** Media items whose stored files will be deleted again, half an hour after their deletion. */
  readonly purgesLeft: number;
}

/**
 * Requests the deletion of an account and suspends it for good; the sweeper does the rest. A second request, even after the deletion,
 * changes nothing and returns the progress.
 *
 * @param confirm the account's name
 */
export async function deleteAccount(
  target: DatabaseTarget,
  { accountId, confirm }: { accountId: string; confirm: string | undefined },
): Promise<AccountDeletion> {
  const database = outsideDatabase(target);
  // The sweeper deletes an account in its own database, and reports it in the audit trail there.
  const home = outsideDatabase(await homeOf(target, accountId));
  const account = await findAccount(database, accountId);
  if (account === undefined) return await finishedDeletion(home, accountId);
  if (confirm !== account.name) throw notConfirmed(confirm, account.name);
  await requestDeletion(database, deedOn(accountId));
  const requested = await findAccount(database, accountId);
  if (requested === undefined) return await finishedDeletion(home, accountId);
  const { deletionRequestedAt } = requested;
  const progress = await findDeletionProgress(home, accountId);
  return { accountId, state: "deleting", deletedAt: null, deletionRequestedAt, ...progress };
}

async function finishedDeletion(database: Database, accountId: string): Promise<AccountDeletion> {
  const kinds = ["account.deletion_requested", "account.deleted"] as const;
  const entries = await findEntryTimes(database, accountId, kinds);
  const [deletionRequestedAt, deletedAt] = kinds.map(
    (kind) => entries.find((entry) => entry.kind === kind)?.createdAt ?? null,
  );
  if (deletedAt === undefined || deletedAt === null) throw noAccount(accountId);
  return {
    accountId,
    state: "deleted",
    deletionRequestedAt: deletionRequestedAt ?? null,
    deletedAt,
    mediaLeft: 0,
    purgesLeft: 0,
  };
}

function refuseDeleting({ id, deletionRequestedAt }: AccountRow): void {
  if (deletionRequestedAt !== null)
    throw new Error(`The account ${id} is being deleted, which cannot be undone.`);
}

/** The reason as callers read it: one line without a period, because their sentence adds one. */
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
