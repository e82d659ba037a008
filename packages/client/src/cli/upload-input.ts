import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import type { VeilClient } from "../client.ts";
import { openFile } from "../node/index.ts";
import type { Media } from "../types.ts";
import type { UploadOptions } from "../upload-request.ts";
import { isUrl } from "./inputs.ts";

/**
 * Files of this size or more are sent in parts, so that they continue after an interruption and may exceed the size limit of a
 * request.
 */
const IN_PARTS_BYTES = 20_000_000;
const CLEAN_UP_MS = 10_000;

/** Uploads an input: a URL that the service fetches, or a file that is read as it is sent. */
export async function uploadInput(client: VeilClient, input: string, options: UploadOptions): Promise<Media> {
  if (isUrl(input)) return await client.upload({ ...options, sourceUrl: input });
  const file = await openFile(input);
  if (file.size < IN_PARTS_BYTES) return await client.upload({ ...options, file });
  return await uploadInParts(client, input, options);
}

async function uploadInParts(
  client: VeilClient,
  path: string,
  { onProgress, ...options }: UploadOptions,
): Promise<Media> {
  const { signal } = options;
  const file = await openAsBlob(path);
  const { upload_id: uploadId, upload_url: uploadUrl } = await client.createUpload(
    { sizeBytes: file.size, filename: basename(path) },
    { signal },
  );
  try {
    await client.sendUpload(uploadUrl, file, { signal, ...(onProgress && { onProgress }) });
    return await client.upload({ ...options, uploadId });
  } catch (error) {
    // The received bytes would stay stored for a day. A failure of this cleanup must not hide why the upload failed.
    await client.deleteUpload(uploadUrl, { signal: AbortSignal.timeout(CLEAN_UP_MS) }).catch(() => undefined);
    throw error;
  }
}
