import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import type { ApiEnv } from "../platform/env.ts";
import { bodyChunks, uploadPaceOf } from "../uploads/body-chunks.ts";
import { fileLimitsOf } from "../uploads/file-limits.ts";
import { MultipartError } from "../uploads/multipart.ts";
import { PartWriter, deleteRest, type StoredParts } from "../uploads/resumable-parts.ts";
import {
  saveProgress,
  type ResumableUpload,
  type UploadLock,
} from "../uploads/resumable-upload.repository.ts";
import { LOCK_MS } from "../uploads/upload-lock.ts";
import { FirstBytes, RefusedFile } from "./first-bytes.ts";
import { TusError, lockedByAnother } from "./tus.errors.ts";

const SIGN_OF_LIFE_INTERVAL_MS = 15 * SECOND_MS;

/** The next bytes of an upload that a request has for itself. */
interface Arrival {
  readonly config: ApiEnv;
  readonly database: Database;
  readonly upload: ResumableUpload;
  readonly lock: UploadLock;
  readonly body: ReadableStream<Uint8Array>;
  /** The SHA-256 that the bytes must have: then all of them count, or none. */
  readonly checksum: Uint8Array | undefined;
}

/**
 * Stores the next bytes of an upload, in memory that does not grow with them. Those that came before a connection broke count,
 * unless a checksum was promised.
 *
 * @returns the upload as it is then
 * @throws TusError when the bytes are not what they should be, come too slowly or are too many, or another request has the upload;
 * RefusedFile when they show a file that is not taken
 */
export async function receiveBytes(arrival: Arrival): Promise<ResumableUpload> {
  const { config, database, lock, upload } = arrival;
  const writer = await PartWriter.open(config.MEDIA, upload, async (multipartUploadId) => {
    await keep(database, lock, { multipartUploadId });
  });
  const progress = new Progress(arrival);
  try {
    const fault = await readInto(writer, arrival, progress);
    await progress.stayAlive();
    await writer.end();
    await progress.reach(writer.stored);
    if (fault !== undefined) throw fault;
    return progress.upload;
  } finally {
    writer.close();
  }
}

/** How far an upload is written down to be. */
class Progress {
  readonly #arrival: Arrival;
  #lastSignOfLifeAt = nowMs();
  upload: ResumableUpload;

  constructor(arrival: Arrival) {
    this.#arrival = arrival;
    this.upload = arrival.upload;
  }

  /** Writes down what is stored. */
  async reach(stored: StoredParts): Promise<void> {
    if (stored.offsetBytes <= this.upload.offsetBytes) return;
    const { config, database, lock } = this.#arrival;
    const { offsetBytes, multipartUploadId, partEtags } = stored;
    await keep(database, lock, { offsetBytes, multipartUploadId, partEtags });
    this.#lastSignOfLifeAt = nowMs();
    const before = this.upload;
    this.upload = { ...before, offsetBytes, multipartUploadId, partEtags };
    await deleteRest(config.MEDIA, before, before.offsetBytes);
  }

  /** Keeps the upload for this request while bytes come; to be called now and then. */
  async stayAlive(): Promise<void> {
    if (nowMs() - this.#lastSignOfLifeAt <= SIGN_OF_LIFE_INTERVAL_MS) return;
    this.#lastSignOfLifeAt = nowMs();
    await keep(this.#arrival.database, this.#arrival.lock, {});
  }
}

/**
 * Reads a body to its end; what ended it early, where what came before counts. A file that is not taken is refused at once, or,
 * where the bytes have a checksum, as soon as they are known to be the right ones.
 */
async function readInto(
  writer: PartWriter,
  { config, upload, body, checksum }: Arrival,
  progress: Progress,
): Promise<TusError | undefined> {
  const leftBytes = upload.lengthBytes - upload.offsetBytes;
  const tooLarge = `The body goes past the end of the file; ${leftBytes} bytes are left of ${upload.lengthBytes}.`;
  const chunks = bodyChunks(body, {
    pace: uploadPaceOf(config),
    maxBytes: leftBytes,
    tooLarge,
    onChunk: async () => {
      await progress.stayAlive();
    },
  });
  const digest = checksum === undefined ? undefined : new crypto.DigestStream("SHA-256");
  const hash = digest?.getWriter();
  const firstBytes = new FirstBytes(upload, { arrived: writer.held, limits: fileLimitsOf(config) });
  try {
    for await (const chunk of chunks) {
      await hash?.write(chunk);
      await firstBytes.push(chunk);
      if (checksum === undefined) expectTaken(firstBytes);
      if (firstBytes.refusal !== undefined) continue;
      const isFurther = await writer.write(chunk);
      if (isFurther && checksum === undefined) await progress.reach(writer.stored);
    }
  } catch (error) {
    await Promise.allSettled([digest?.digest, hash?.abort()]);
    if (!(error instanceof MultipartError)) throw error;
    const kind = error.message === tooLarge ? "too_large" : "request_timeout";
    const fault = new TusError(kind, { message: error.message });
    if (checksum !== undefined) throw fault;
    return fault;
  } finally {
    await chunks.return();
  }
  await hash?.close();
  if (checksum !== undefined && digest !== undefined) checkDigest(checksum, await digest.digest);
  expectTaken(firstBytes);
  return undefined;
}

function expectTaken({ refusal }: FirstBytes): void {
  if (refusal !== undefined) throw new RefusedFile(refusal);
}

function checkDigest(promised: Uint8Array, found: ArrayBuffer): void {
  const bytes = new Uint8Array(found);
  if (promised.every((byte, index) => byte === bytes[index])) return;
  throw new TusError("checksum_mismatch", {
    message:
      "The bytes have another SHA-256 than `Upload-Checksum` says; none of them is kept. Send them again.",
  });
}

/** Writes progress down and keeps the upload for this request. @throws TusError 423 when another request has it */
async function keep(
  database: Database,
  lock: UploadLock,
  progress: Parameters<typeof saveProgress>[2],
): Promise<void> {
  const isKept = await saveProgress(database, lock, { ...progress, lockedUntil: nowMs() + LOCK_MS });
  if (!isKept) throw lockedByAnother();
}
