import { sourceKey } from "../../records/media/media.objects.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { validationFailed, type VeilError } from "../../ground/platform/errors.ts";
import { sha256Hex } from "../../ground/platform/ids.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { isStillFormat, type UploadFormat } from "../../ground/vocabulary/media-values.ts";
import type { FileLimits } from "./files/file-limits.ts";
import { FileReader, formatOfFile, type FormFaults, type ReceivedFile } from "./files/file-reader.ts";
import { finishResumableUpload } from "./resumable/finish-resumable-upload.ts";
import {
  findResumableUpload,
  ownershipOf,
  type ResumableUpload,
} from "../../records/uploads/resumable-upload.repository.ts";
import { SNIFF_BYTES, sniff } from "./files/sniff.ts";
import { noUploadHere, uploadInUse } from "./upload.errors.ts";
import { withUploadLock } from "./resumable/upload-lock.ts";
import type { ResumableOrder } from "./upload-order.ts";

const UNNAMED = "file";
const FIELD = "upload_id";

/**
 * Returns the file of a resumable upload, with its type detected from its content. The file stays in place.
 *
 * @throws VeilError 422 on `upload_id` if the upload is incomplete or its type is not supported
 */
export async function takeResumable(
  order: ResumableOrder,
  options: { readonly config: ApiEnv; readonly accountId: string; readonly limits: FileLimits },
): Promise<{ resumable: ResumableUpload; file: ReceivedFile }> {
  const { config, accountId, limits } = options;
  const database = openDatabase(config.DB, "primary");
  const resumable = await findResumableUpload(database, await sha256Hex(order.uploadId));
  if (resumable === undefined || resumable.accountId !== accountId || resumable.expiresAt <= nowMs())
    throw noUploadHere();
  const { offsetBytes, lengthBytes } = resumable;
  if (offsetBytes < lengthBytes)
    throw refuse(`The upload is incomplete: ${offsetBytes} of ${lengthBytes} bytes have arrived.`);
  await finish(config.MEDIA, database, resumable);
  const filename = order.filename ?? resumable.filename ?? UNNAMED;
  const format = await formatOf(config.MEDIA, resumable);
  const file = isStillFormat(format)
    ? await readImage(config.MEDIA, resumable, { filename, limits })
    : {
        field: FIELD,
        filename,
        ...formatOfFile(format),
        header: undefined,
        sizeBytes: lengthBytes,
        sha256: resumable.sha256 ?? undefined,
      };
  return { resumable, file };
}

/** Joins the file's parts if the request that sent its last bytes could not. */
async function finish(bucket: R2Bucket, database: Database, resumable: ResumableUpload): Promise<void> {
  if (resumable.finishedAt !== null) return;
  const { idSha256 } = resumable;
  await withUploadLock(database, { idSha256, whenTaken: uploadInUse }, async (upload, { lock }) => {
    await finishResumableUpload({ bucket, database }, upload, lock);
  });
}

async function formatOf(bucket: R2Bucket, resumable: ResumableUpload): Promise<UploadFormat> {
  const range = { offset: 0, length: Math.min(SNIFF_BYTES, resumable.lengthBytes) };
  const beginning = await withRetry(STORAGE_RETRY, async () => {
    const object = await bucket.get(keyOf(resumable), { range });
    return object === null ? undefined : await object.bytes();
  });
  if (beginning === undefined) throw refuse("The uploaded file is no longer there. Upload it again.");
  const sniffed = await sniff(beginning);
  if ("refusal" in sniffed) throw refuse(sniffed.refusal);
  return sniffed.format;
}

/** Reads an image as a whole. Images are small enough for that, and their headers may end anywhere. */
async function readImage(
  bucket: R2Bucket,
  resumable: ResumableUpload,
  { filename, limits }: { readonly filename: string; readonly limits: FileLimits },
): Promise<ReceivedFile> {
  const object = await withRetry(STORAGE_RETRY, async () => await bucket.get(keyOf(resumable)));
  if (object === null) throw refuse("The uploaded file is no longer there. Upload it again.");
  const faults: FormFaults = new Map();
  const sink = { open: async () => false, write: async () => undefined };
  const reader = new FileReader({ field: FIELD, faults, sink, limits });
  const chunks = (object.body as ReadableStream<Uint8Array>).values();
  const file = await readAll();
  if (file === undefined || faults.size > 0) throw validationFailed(Object.fromEntries(faults));
  return file;

  async function readAll(): Promise<ReceivedFile | undefined> {
    try {
      return (await reader.read(filename, chunks)).file;
    } finally {
      await chunks.return?.();
    }
  }
}

function keyOf(resumable: ResumableUpload): string {
  return sourceKey(ownershipOf(resumable));
}

function refuse(sentence: string): VeilError {
  return validationFailed({ [FIELD]: [sentence] });
}
