import type { ApiEnv } from "../../../ground/platform/env.ts";
import { bodyChunks, uploadPaceOf } from "../body/body-chunks.ts";
import { fileLimitsOf } from "../files/file-limits.ts";
import { MultipartError } from "../body/multipart.ts";
import { PartWriter, deleteRest, type StoredParts } from "./resumable-parts.ts";
import type { ResumableUpload } from "../../../records/uploads/resumable-upload.repository.ts";
import type { UploadHold } from "./upload-lock.ts";
import { FirstBytes, RefusedFile } from "./first-bytes.ts";
import type { Checksum } from "./tus-headers.ts";
import { otherChecksum, TusError } from "./tus.errors.ts";

/** The next bytes of an upload that the request has locked. */
interface Arrival {
  readonly config: ApiEnv;
  readonly upload: ResumableUpload;
  readonly hold: UploadHold;
  readonly body: ReadableStream<Uint8Array>;
  /** The checksum that the bytes must have. With it, either all of them count or none. */
  readonly checksum: Checksum | undefined;
}

/**
 * Stores the next bytes of an upload with constant memory. Bytes that arrived before a connection broke count, unless a
 * checksum was sent.
 *
 * @returns the upload after that
 * @throws TusError when the bytes do not match the checksum, arrive too slowly or are too many, or another request has the
 * upload; RefusedFile when the file is refused because of its first bytes
 */
export async function receiveBytes(arrival: Arrival): Promise<ResumableUpload> {
  const { config, hold, upload } = arrival;
  const writer = await PartWriter.open(config.MEDIA, upload, async (multipartUploadId) => {
    await hold.save({ multipartUploadId });
  });
  const progress = new Progress(arrival);
  try {
    const fault = await readInto(writer, arrival, progress);
    await writer.end();
    await progress.reach(writer.stored);
    if (fault !== undefined) throw fault;
    return progress.upload;
  } finally {
    writer.close();
  }
}

/** The recorded progress of an upload. */
class Progress {
  readonly #arrival: Arrival;
  upload: ResumableUpload;

  constructor(arrival: Arrival) {
    this.#arrival = arrival;
    this.upload = arrival.upload;
  }

  /** Records what is stored. */
  async reach(stored: StoredParts): Promise<void> {
    if (stored.offsetBytes <= this.upload.offsetBytes) return;
    const { config, hold } = this.#arrival;
    const { offsetBytes, multipartUploadId, partEtags, sha256State, sha256 } = stored;
    const progress = { offsetBytes, multipartUploadId, partEtags, sha256State, sha256 };
    await hold.save(progress);
    const before = this.upload;
    this.upload = { ...before, ...progress };
    await deleteRest(config.MEDIA, before, before.offsetBytes);
  }
}

/**
 * Reads a body to its end. If it ended early but the bytes before count, returns the error. A refused file is reported at once
 * or, if the bytes have a checksum, after the checksum has been verified.
 */
async function readInto(
  writer: PartWriter,
  { config, upload, hold, body, checksum }: Arrival,
  progress: Progress,
): Promise<TusError | undefined> {
  const leftBytes = upload.lengthBytes - upload.offsetBytes;
  const tooLarge = `The body goes past the end of the file; ${leftBytes} bytes are left of ${upload.lengthBytes}.`;
  const chunks = bodyChunks(body, {
    pace: uploadPaceOf(config),
    maxBytes: leftBytes,
    tooLarge,
    onChunk: async () => {
      await hold.endWaiting();
    },
  });
  const digest = checksum === undefined ? undefined : new crypto.DigestStream(checksum.algorithm);
  const hash = digest?.getWriter();
  const firstBytes = new FirstBytes(upload, { arrived: writer.held, limits: fileLimitsOf(config) });
  try {
    hold.beginWaiting();
    for await (const chunk of chunks) {
      await hash?.write(chunk);
      await firstBytes.push(chunk);
      if (checksum === undefined) expectTaken(firstBytes);
      if (firstBytes.refusal === undefined) {
        const isFurther = await writer.write(chunk);
        if (isFurther && checksum === undefined) await progress.reach(writer.stored);
      }
      hold.beginWaiting();
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
    await hold.endWaiting();
  }
  await hash?.close();
  if (checksum !== undefined && digest !== undefined) checkDigest(checksum, await digest.digest);
  expectTaken(firstBytes);
  return undefined;
}

function expectTaken({ refusal }: FirstBytes): void {
  if (refusal !== undefined) throw new RefusedFile(refusal);
}

function checkDigest({ algorithm, bytes: promised }: Checksum, found: ArrayBuffer): void {
  const bytes = new Uint8Array(found);
  if (promised.every((byte, index) => byte === bytes[index])) return;
  throw otherChecksum(algorithm);
}
