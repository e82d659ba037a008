import { filenameFault } from "../body/filename-fault.ts";
import { UPLOAD_ID } from "../body/upload-id.ts";
import { finishResumableUpload } from "./finish-resumable-upload.ts";
import {
  countResumableUploads,
  dropResumableUpload,
  findResumableUpload,
  insertResumableUpload,
  type ResumableUpload,
  type UploadLock,
} from "../../../records/uploads/resumable-upload.repository.ts";
import { HOUR_MS, nowMs } from "../../../ground/platform/clock.ts";
import { databaseConfigs } from "../../../ground/platform/databases.ts";
import { accountConfig } from "../../../records/directory/account-database.ts";
import { openDatabase, type Database } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { validationFailed } from "../../../ground/platform/errors.ts";
import { newUuid, randomToken, sha256Hex } from "../../../ground/platform/ids.ts";
import { errorFields, log } from "../../../ground/platform/log.ts";
import { withUploadLock } from "./upload-lock.ts";
import { RefusedFile } from "./first-bytes.ts";
import { receiveBytes } from "./receive-bytes.ts";
import type { Checksum } from "./tus-headers.ts";
import {
  badHeader,
  fileTooLong,
  lockedByAnother,
  noSuchUpload,
  otherOffset,
  pastLimits,
  uploadExpired,
} from "./tus.errors.ts";

/** The declared length and metadata of a file, before it arrives. */
interface Announcement {
  readonly accountId: string;
  readonly lengthBytes: number;
  readonly metadata: { readonly sent: string; readonly values: ReadonlyMap<string, string> };
}

/** The bytes of a request. */
interface Delivery {
  readonly offsetBytes: number;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly checksum: Checksum | undefined;
}

/** The longest accepted file of a resumable upload, in bytes. */
export function maxLengthBytes(config: ApiEnv): number {
  return Math.max(config.MAX_FILE_BYTES, config.MAX_RESUMABLE_FILE_BYTES);
}

/**
 * Begins an upload. Its ID is the secret in its URL, and only a hash of it is stored.
 *
 * @throws TusError 400 for an invalid file name, 413 for a file that is too long; VeilError 409 when the account has too many
 * unfinished uploads or too many bytes in them
 */
export async function createUpload(
  config: ApiEnv,
  { accountId, lengthBytes, metadata }: Announcement,
): Promise<{ uploadId: string; upload: ResumableUpload }> {
  if (lengthBytes > maxLengthBytes(config)) throw fileTooLong(lengthBytes, maxLengthBytes(config));
  if (lengthBytes === 0) throw badHeader("Upload-Length", "`Upload-Length` is 0; expected at least 1 byte.");
  const filename = metadata.values.get("filename") ?? metadata.values.get("name") ?? null;
  const nameFault = filename === null ? undefined : filenameFault(filename);
  if (nameFault !== undefined) throw badHeader("Upload-Metadata", nameFault);
  const database = openDatabase(config.DB, "primary");
  const uploadId = `upl_${randomToken()}`;
  const createdAt = nowMs();
  const row = {
    idSha256: await sha256Hex(uploadId),
    accountId,
    mediaId: newUuid(createdAt),
    lengthBytes,
    metadata: metadata.sent,
    filename,
    partEtags: [],
    createdAt,
    expiresAt: createdAt + config.RESUMABLE_UPLOAD_HOURS * HOUR_MS,
  };
  const limits = { mostUploads: config.MAX_RESUMABLE_UPLOADS, mostBytes: config.MAX_RESUMABLE_BYTES };
  if (!(await insertResumableUpload(database, row, limits)))
    throw pastLimits(limits, { ...(await countResumableUploads(database, accountId)), lengthBytes });
  const upload = {
    offsetBytes: 0,
    multipartUploadId: null,
    sha256State: null,
    sha256: null,
    lockId: null,
    lockedUntil: null,
    finishedAt: null,
    ...row,
  };
  return { uploadId, upload };
}

/**
 * Finds the upload at a URL, and the configuration of its account's database. The URL does not name the database, so every database is
 * searched. A move may have left a copy of the upload in another database.
 *
 * @throws VeilError 404 if there is none, TusError 410 if it has expired
 */
export async function findUpload(
  config: ApiEnv,
  uploadId: string,
): Promise<{ readonly upload: ResumableUpload; readonly config: ApiEnv }> {
  if (!UPLOAD_ID.test(uploadId)) throw noSuchUpload();
  const idSha256 = await sha256Hex(uploadId);
  const everywhere = databaseConfigs(config).map(async (own) => {
    const upload = await findResumableUpload(openDatabase(own.DB, "primary"), idSha256);
    return upload !== undefined && (await accountConfig(config, upload.accountId)) === own
      ? { upload, config: own }
      : undefined;
  });
  const found = (await Promise.all(everywhere)).find((one) => one !== undefined);
  if (found === undefined) throw noSuchUpload();
  if (found.upload.expiresAt <= nowMs()) throw uploadExpired();
  return found;
}

/**
 * Receives the next bytes of an upload and completes its file with the last of them.
 *
 * @throws TusError 409 if they do not begin where the upload ends, 413, 423, 460; VeilError 422 if the file is refused because
 * of its first bytes, which ends the upload
 */
export async function deliver(
  config: ApiEnv,
  { idSha256 }: ResumableUpload,
  { offsetBytes, body, checksum }: Delivery,
): Promise<ResumableUpload> {
  const database = openDatabase(config.DB, "primary");
  return await withUploadLock(database, { idSha256, whenTaken: lockedByAnother }, async (upload, hold) => {
    if (upload.offsetBytes !== offsetBytes) throw otherOffset(offsetBytes, upload.offsetBytes);
    const after = await untilRefused(database, hold.lock, async () =>
      body === null ? upload : await receiveBytes({ config, upload, hold, body, checksum }),
    );
    if (after.offsetBytes === after.lengthBytes)
      await finishResumableUpload({ bucket: config.MEDIA, database }, after, hold.lock);
    return after;
  });
}

/** Ends an upload and deletes its stored data. @throws TusError 423 while a request writes it or creates a media item from it */
export async function terminate(config: ApiEnv, { idSha256 }: ResumableUpload): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  await withUploadLock(database, { idSha256, whenTaken: lockedByAnother }, async (_, { lock }) => {
    if (!(await dropResumableUpload(database, lock, nowMs()))) throw lockedByAnother();
  });
}

/** Ends an upload whose file is refused, so that nothing of it stays stored. If that fails, the upload expires. */
async function untilRefused<T>(database: Database, lock: UploadLock, receive: () => Promise<T>): Promise<T> {
  try {
    return await receive();
  } catch (error) {
    if (!(error instanceof RefusedFile)) throw error;
    try {
      await dropResumableUpload(database, lock, nowMs());
    } catch (fault) {
      log("warn", "resumable_upload.not_dropped", errorFields(fault));
    }
    throw validationFailed({ file: [error.message] });
  }
}
