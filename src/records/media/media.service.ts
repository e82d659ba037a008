import { refusalOf, type KeyFinder } from "../accounts/authentication.ts";
import type { Deed } from "../audit/audit.repository.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import { configOf } from "../../ground/platform/databases.ts";
import { MAIN_DATABASE } from "../../ground/vocabulary/database-names.ts";
import { freshnessOfLocations } from "../directory/account-database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { notFound, unauthorized } from "../../ground/platform/errors.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { isConverted, MARK_BYTES } from "../../pixels/conversion/converted-mark.ts";
import { downloadName } from "./download-name.ts";
import { deleteObjects, deleteSourceObjects, outputKey, sourceKey } from "./media.objects.ts";
import { announceEvents } from "../events/announce-events.ts";
import { SETTLE_MS, deleteMedia } from "./media-deletion.repository.ts";
import { FORMAT_CONTENT_TYPES, FORMAT_NAMES } from "../../ground/vocabulary/media-values.ts";
import type { MediaStatus } from "./media.states.ts";
import type { StoredFile } from "./stored-file.ts";
import {
  findKeyAndMedia,
  findMedia,
  type KeyAndMedia,
  type MediaOwnership,
  type MediaRow,
  type ShownMedia,
} from "./media.repository.ts";

/** Why there is nothing to download, by status. */
const NO_DOWNLOAD: Readonly<Record<Exclude<MediaStatus, "completed">, string>> = {
  pending: "This file is still being uploaded. It can be downloaded once it is completed.",
  queued: "This file is waiting to be processed. It can be downloaded once it is completed.",
  processing: "This file is being processed. It can be downloaded once it is completed.",
  failed: "This file could not be processed, so there is nothing to download.",
  quota_exceeded: "This file did not fit the quota, so there is nothing to download.",
};

/** 404: the account has no such media item. */
export function noSuchMedia(): Error {
  return notFound("There is no media item with this ID.");
}

/** What the authentication of a poll read: the hash of the key, and the media item if the nearest replica has it. */
interface Polled {
  readonly sha256: string;
  readonly row: ShownMedia | null;
}

const polled = new WeakMap<Request, Polled>();

/** The media item that was read with a key. An account in another database has none in the main one, except what a move left behind. */
function mediaInMain({ databaseName, media }: KeyAndMedia): ShownMedia | null {
  return (databaseName ?? MAIN_DATABASE) === MAIN_DATABASE ? media : null;
}

/**
 * Finds the key of a poll with the same read that finds the media item. A poll in the main database therefore costs a single read, and a
 * revoked key never passes.
 */
export function pollKeyFinder(request: Request, mediaId: string): KeyFinder {
  return async (database, sha256) => {
    const found = await findKeyAndMedia(database, sha256, mediaId);
    if (found !== undefined) polled.set(request, { sha256, row: mediaInMain(found) });
    return found;
  };
}

/**
 * The media item of a poll, as the authentication read it at the nearest replica. An item that the replica does not have is
 * read at the primary, so that a client always sees its own writes.
 *
 * @throws VeilError 404 if the account has no such media item
 */
export async function pollMedia(
  config: ApiEnv,
  request: Request,
  owned: MediaOwnership,
): Promise<ShownMedia> {
  const row = polled.get(request)?.row ?? (await findMedia(openDatabase(config.DB, "primary"), owned));
  if (row === undefined) throw noSuchMedia();
  return row;
}

/**
 * Reads the media item of a poll again, together with its key, wherever its account is now.
 *
 * @throws VeilError 401 if the key has lost its right meanwhile, 404 if the media item was deleted
 */
export async function pollMediaAgain(
  config: ApiEnv,
  request: Request,
  owned: MediaOwnership,
): Promise<ShownMedia> {
  const { sha256 } = polled.get(request) ?? {};
  if (sha256 === undefined) throw new Error("The request was not authenticated as a poll.");
  const main = openDatabase(config.MAIN_DB, freshnessOfLocations(config));
  const key = await findKeyAndMedia(main, sha256, owned.mediaId);
  if (key === undefined) throw unauthorized("unknown");
  const refusal = refusalOf(key, { method: request.method, path: new URL(request.url).pathname });
  if (refusal !== undefined) throw refusal;
  const { DB } = configOf(config, key.databaseName ?? MAIN_DATABASE);
  const row = mediaInMain(key) ?? (await findMedia(openDatabase(DB, "primary"), owned));
  if (row === undefined) throw noSuchMedia();
  return row;
}

/** The media item whose output is requested. @throws VeilError 404 unless it is completed */
export async function findDownload(config: ApiEnv, owned: MediaOwnership): Promise<MediaRow> {
  let row = await findMedia(openDatabase(config.DB, "any"), owned);
  if (row?.status !== "completed") row = await findMedia(openDatabase(config.DB, "primary"), owned);
  if (row === undefined) throw noSuchMedia();
  if (row.status !== "completed") {
    throw notFound(NO_DOWNLOAD[row.status]);
  }
  return row;
}

/**
 * The original, to send to the media item's own team only. An original in a format that is converted is sent only in its
 * converted form, because few browsers can show such formats.
 *
 * @throws VeilError 404 if it has not arrived or was not converted
 */
export async function findSource(config: Pick<ApiEnv, "MEDIA">, row: MediaRow): Promise<StoredFile> {
  const file = storedFile(config, row, { keyOf: sourceKey, goneSentence: "The original has been deleted." });
  if (row.status === "pending") throw notFound(NO_DOWNLOAD.pending);
  if (row.sourceFormat === null) return file;
  const range = { offset: 0, length: MARK_BYTES };
  const beginning = await withRetry(STORAGE_RETRY, async () => {
    const object = await config.MEDIA.get(file.key, { range });
    return object === null ? undefined : await object.bytes();
  });
  if (beginning === undefined) throw notFound(file.goneSentence);
  if (isConverted(beginning, row.format)) return file;
  throw notFound(
    `The original is a ${FORMAT_NAMES[row.sourceFormat]} that has not been converted, so it cannot be shown.`,
  );
}

/** The redacted file of a completed media item, to show. */
export function outputFile(config: ApiEnv, row: MediaRow): StoredFile {
  return storedFile(config, row, {
    keyOf: outputKey,
    goneSentence:
      row.outputSizeBytes === null
        ? "This media item was only analyzed (`detect_only`), so it has no redacted file."
        : "The redacted file has been deleted.",
  });
}

/** The redacted file, to save under a name like the upload's. */
export function outputToSave(config: ApiEnv, row: MediaRow): StoredFile {
  return { ...outputFile(config, row), saveAs: downloadName(row.filename, row.format) };
}

function storedFile(
  config: Pick<ApiEnv, "MEDIA">,
  { id, accountId, format }: MediaRow,
  { keyOf, goneSentence }: { keyOf: (owned: MediaOwnership) => string; goneSentence: string },
): StoredFile {
  return {
    bucket: config.MEDIA,
    key: keyOf({ accountId, mediaId: id }),
    contentType: FORMAT_CONTENT_TYPES[format],
    goneSentence,
  };
}

/**
 * Deletes a media item and all its stored files. The deletion is final once the record is deleted. The sweeper deletes objects
 * that cannot be deleted at once or that a running job still writes.
 *
 * @throws VeilError 404 if the account has no such media item
 */
export async function removeMedia(
  config: Pick<ApiEnv, "DB" | "MEDIA" | "WEBHOOK_JOBS">,
  mediaId: string,
  deed: Deed,
): Promise<void> {
  const { accountId, nowMs, requestId } = deed;
  const owned = { accountId, mediaId };
  const order = { nowMs, settledAtMs: nowMs + SETTLE_MS, requestId, deed };
  const removed = await deleteMedia(openDatabase(config.DB, "primary"), owned, order);
  if (removed === undefined) throw noSuchMedia();
  await announceEvents(config, [removed.eventId]);
  try {
    await deleteObjects(config.MEDIA, owned, removed.underWay);
    for (const retry of removed.retries) await deleteSourceObjects(config.MEDIA, retry);
  } catch (error) {
    log("warn", "media.purge_postponed", { requestId, mediaId: owned.mediaId, ...errorFields(error) });
  }
}
