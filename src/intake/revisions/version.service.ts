import type { Caller } from "../../records/accounts/caller.ts";
import { sendPermits } from "../../ground/platform/permits.ts";
import { findMedia, type MediaOwnership, type MediaRow } from "../../records/media/media.repository.ts";
import { mediaResponse } from "../../records/media/media.schemas.ts";
import { FIRST_STATE } from "../../records/media/media.states.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { newUuid } from "../../ground/platform/ids.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import {
  findIdempotencyRecord,
  freeIdempotencyKey,
  lockIdempotencyKey,
  type IdempotencyLock,
} from "../../records/idempotency/idempotency.repository.ts";
import { refuseIfFull } from "../limits/queue-room.ts";
import { keyInUse, keyReused } from "../uploads/upload.errors.ts";
import type { NewVersion } from "./version.repository.ts";

/** Who requests a new version of a media item, and the data for the response. */
export interface VersionRequest {
  readonly config: ApiEnv;
  readonly caller: Caller;
  readonly owned: MediaOwnership;
  readonly origin: string;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
}

/** The response to a request for a version. */
export interface VersionAnswer {
  readonly body: string;
  readonly isReplay: boolean;
  readonly mediaId: string;
}

/** A version that is being created, with its idempotency key if there is one. */
export interface Making {
  readonly mediaId: string;
  readonly createdAt: number;
  readonly idempotency?: { readonly lock: IdempotencyLock; readonly fingerprint: string };
}

/**
 * Creates a version of a media item, or repeats the response to the first request with its idempotency key. A full queue refuses
 * new versions as it refuses uploads, but not repeated requests.
 *
 * @param fingerprint identifies equal requests
 * @throws VeilError 409 if the idempotency key is taken, 503 if the queue is full, and what `queue` throws
 */
export async function makeVersion(
  { config, owned, idempotencyKey: key, requestId }: VersionRequest,
  fingerprint: string,
  queue: (database: Database, making: Making) => Promise<string>,
): Promise<VersionAnswer> {
  const database = openDatabase(config.DB, "primary");
  const createdAt = nowMs();
  const mediaId = newUuid(createdAt);
  const queueIfRoom = async (making: Making): Promise<VersionAnswer> => {
    await refuseIfFull(config, owned.accountId);
    return { body: await queue(database, making), isReplay: false, mediaId };
  };
  if (key === undefined) return await queueIfRoom({ mediaId, createdAt });
  const lock = { accountId: owned.accountId, key, lockId: mediaId };
  if (!(await lockIdempotencyKey(database, lock, createdAt)))
    return await replay(database, lock, fingerprint);
  try {
    return await queueIfRoom({ mediaId, createdAt, idempotency: { lock, fingerprint } });
  } catch (error) {
    await freeKey(database, lock, requestId);
    throw error;
  }
}

/**
 * Queues a version in the database and sends a permit for it.
 *
 * @param queued.insert the conditional statement that queues, with the response to store for the idempotency key
 * @param queued.refusal why that statement had no effect
 * @returns the response
 */
export async function queueVersion(
  { config, origin, requestId }: VersionRequest,
  database: Database,
  queued: {
    readonly parent: MediaRow;
    readonly row: NewVersion["row"];
    readonly idempotency: Making["idempotency"];
    readonly insert: (idempotency: NewVersion["idempotency"]) => Promise<boolean>;
    readonly refusal: () => Promise<Error>;
  },
): Promise<string> {
  const { parent, row, idempotency, insert, refusal } = queued;
  const body = JSON.stringify(mediaResponse({ ...parent, ...row, ...NEW }, origin));
  const isQueued = await confirmed(
    database,
    queued,
    async () => await insert(idempotency && { ...idempotency, responseBody: body }),
  );
  if (!isQueued) throw await refusal();
  await sendPermits(parent.mediaType === "image" ? config.IMAGE_JOBS : config.VIDEO_JOBS, [
    { mediaId: row.id, requestId },
  ]);
  return body;
}

const NEW = {
  status: FIRST_STATE.revision,
  processedAt: null,
  failedAt: null,
  outputSizeBytes: null,
  outputSha256: null,
  redactedSizeBytes: null,
} as const;

async function confirmed(
  database: Database,
  { parent, row }: { readonly parent: MediaRow; readonly row: NewVersion["row"] },
  insert: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await insert();
  } catch (error) {
    // The batch may have been committed although its response was lost.
    log("warn", "version.queue_unconfirmed", {
      requestId: row.requestId,
      mediaId: row.id,
      ...errorFields(error),
    });
    const owned = { accountId: parent.accountId, mediaId: row.id };
    if ((await findMedia(database, owned)) !== undefined) return true;
    throw error;
  }
}

async function replay(
  database: Database,
  lock: IdempotencyLock,
  fingerprint: string,
): Promise<VersionAnswer> {
  const record = await findIdempotencyRecord(database, lock);
  if (record === undefined || record.responseBody === null) throw keyInUse();
  if (record.fingerprint !== fingerprint) throw keyReused();
  return { body: record.responseBody, isReplay: true, mediaId: record.lockId };
}

async function freeKey(database: Database, lock: IdempotencyLock, requestId: string): Promise<void> {
  try {
    await freeIdempotencyKey(database, lock);
  } catch (error) {
    log("warn", "version.key_not_freed", { requestId, ...errorFields(error) });
  }
}
