import { OPERATOR, type Deed } from "../../records/audit/audit.repository.ts";
import { LOCAL_USER } from "../../records/accounts/local-sign-in.ts";
import { deleteAllObjects } from "../../records/media/media.objects.ts";
import { removeMedia } from "../../records/media/media.service.ts";
import { HOUR_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { databaseConfigs, type DatabaseBindings } from "../../ground/platform/databases.ts";
import { MAIN_DATABASE } from "../../ground/vocabulary/database-names.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { newId } from "../../ground/platform/ids.ts";
import { log } from "../../ground/platform/log.ts";
import {
  deleteAccountRow,
  deleteMainRows,
  deleteSomeRows,
  expireUploads,
  findDoomedAccounts,
  findMediaIds,
  findUnsettled,
  type DoomedAccount,
} from "./account-deletion.repository.ts";
import { hasLeftBehind } from "../../records/directory/frozen.repository.ts";

const MOST_ACCOUNTS = 100;
const MOST_ROWS = 1_000;
/** How long the deletion waits for an account's last webhooks. */
const LAST_WEBHOOKS_MS = HOUR_MS;

/** The bindings and settings that the deletion needs. */
export type DeletionEnv = DatabaseBindings &
  Pick<ApiEnv, "MEDIA" | "WEBHOOK_JOBS"> &
  Partial<Pick<ApiEnv, "OPERATOR_EMAILS">>;

/**
 * Continues deleting the accounts whose deletion was requested. Each step can be repeated and the account's own row is deleted last, so
 * the next sweep continues an interrupted deletion.
 *
 * @param mostMedia the most media items to delete, over all accounts
 * @returns how many media items were deleted
 */
export async function deleteDoomedAccounts(
  config: DeletionEnv,
  database: Database,
  mostMedia: number,
): Promise<number> {
  let deleted = 0;
  for (const account of await findDoomedAccounts(database, MOST_ACCOUNTS)) {
    await expireUploads(database, account.accountId);
    for (const mediaId of await findMediaIds(database, account.accountId, mostMedia - deleted)) {
      await removeUnlessGone(config, mediaId, deedOn(account));
      deleted += 1;
    }
    await finish(config, database, account);
  }
  return deleted;
}

/** Another sweep may have deleted the media item a moment ago. */
async function removeUnlessGone(config: DeletionEnv, mediaId: string, deed: Deed): Promise<void> {
  try {
    await removeMedia(config, mediaId, deed);
  } catch (error) {
    if (!(error instanceof VeilError && error.code === "not_found")) throw error;
  }
}

/** Deletes the rest of an account that has no files left, once its webhooks are delivered or their time is over. */
async function finish(config: DeletionEnv, database: Database, account: DoomedAccount): Promise<void> {
  const { accountId, requestedAt } = account;
  const { files, deliveries } = await findUnsettled(database, accountId);
  if (files > 0) return;
  if (deliveries > 0 && nowMs() < requestedAt + LAST_WEBHOOKS_MS) return;
  if ((await deleteSomeRows(database, accountId, MOST_ROWS)) > 0) return;
  if (await isLeftBehind(config, accountId)) return;
  await deleteAllObjects(config.MEDIA, accountId);
  const keptEmails = [...(config.OPERATOR_EMAILS ?? []), LOCAL_USER.email];
  const deed = deedOn(account);
  // The row in the account's own database is deleted last. The next sweep uses it to find an interrupted deletion.
  if (config.DATABASE_NAME !== MAIN_DATABASE)
    await deleteMainRows(openDatabase(config.MAIN_DB, "primary"), accountId, keptEmails);
  await deleteAccountRow(database, { keptEmails, deed });
  log("info", "account.deleted", { accountId, requestId: deed.requestId });
}

/** Whether a database that the account has left still has rows of it, which the sweeper deletes first. */
async function isLeftBehind(config: DeletionEnv, accountId: string): Promise<boolean> {
  const left = databaseConfigs(config).map(
    async ({ DB }) => await hasLeftBehind(openDatabase(DB, "primary"), accountId),
  );
  return (await Promise.all(left)).some(Boolean);
}

function deedOn({ accountId }: DoomedAccount): Deed {
  return { accountId, actor: OPERATOR, requestId: newId("request"), nowMs: nowMs() };
}
