import { DEFAULT_RETRY, delayBeforeRetryMs, sleep } from "./back-off.ts";
import { VeilApiError, VeilError } from "./errors.ts";
import { send, type Access, type Call, type Fetch } from "./transport.ts";

/** Default size of a request's part: a multiple of the part size that the service stores. */
const DEFAULT_PART_BYTES = 16 * 1024 * 1024;
/** A part is sent as a whole, so no progress is visible while it is sent. */
const LONGEST_PART_MS = 10 * 60_000;
const GONE = "There is no such upload: it was used or deleted, or it has expired.";
const TUS = { "Tus-Resumable": "1.0.0" };

/** How to send a file in parts. */
export interface SendOptions {
  /** 16 MiB by default. A proxy may allow less. */
  readonly partBytes?: number;
  /** Called with the number of bytes that have arrived. */
  readonly onProgress?: (progress: { sentBytes: number; totalBytes: number }) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a file to the URL of a resumable upload in parts, from where an earlier attempt stopped. Continues after interruptions
 * as long as some parts arrive.
 *
 * @throws VeilApiError when the upload is gone or refuses the file, VeilConnectionError when nothing arrives anymore
 */
export async function sendInParts(
  access: Access,
  file: Blob,
  { partBytes = DEFAULT_PART_BYTES, onProgress, signal }: SendOptions,
): Promise<void> {
  const patient = {
    ...access,
    idleTimeoutMs: Math.max(access.idleTimeoutMs, LONGEST_PART_MS),
    // Some bytes of a part may have arrived, so the offset is requested before each attempt.
    retry: { ...access.retry, retries: 0 },
  };
  let offset = await offsetOf(access, signal);
  for (let attempt = 0; offset < file.size;) {
    onProgress?.({ sentBytes: offset, totalBytes: file.size });
    try {
      offset = await sendPart(patient, { offset, part: file.slice(offset, offset + partBytes), signal });
      attempt = 0;
    } catch (error) {
      signal?.throwIfAborted();
      const delayMs = delayBeforeRetryMs(passing(error), attempt, access.retry);
      if (delayMs === undefined) throw error;
      await sleep(delayMs, signal);
      const before = offset;
      offset = await offsetOf(access, signal);
      attempt = offset > before ? 0 : attempt + 1;
    }
  }
  onProgress?.({ sentBytes: file.size, totalBytes: file.size });
}

/**
 * Sends a file to the URL of a resumable upload without a client, for example in a web page, because that URL needs no API key.
 *
 * @throws VeilApiError when the upload is gone or refuses the file, VeilConnectionError when nothing arrives anymore
 */
export async function sendFile(
  uploadUrl: string,
  file: Blob,
  { fetch: ownFetch, ...options }: SendOptions & { readonly fetch?: Fetch } = {},
): Promise<void> {
  const access = {
    baseUrl: uploadUrl,
    apiKey: undefined,
    fetch: ownFetch ?? (async (url, init) => await fetch(url, init)),
    retry: DEFAULT_RETRY,
    idleTimeoutMs: LONGEST_PART_MS,
    contact: { isMade: false, refusesWait: false },
  } satisfies Access;
  await sendInParts(access, file, options);
}

/** Returns the offset at which an upload continues, in bytes. @throws VeilError when `baseUrl` is not a URL, VeilApiError when the upload is gone */
export async function offsetOf(access: Access, signal: AbortSignal | undefined): Promise<number> {
  if (!URL.canParse(access.baseUrl))
    throw new VeilError("The upload's address is not a URL; pass `upload_url`, not `upload_id`.");
  try {
    return await send(access, { method: "HEAD", path: "", headers: TUS, signal, read: offsetIn });
  } catch (error) {
    // A response to HEAD has no body, so it cannot contain the reason.
    if (error instanceof VeilApiError && error.status === 404) throw new VeilApiError(GONE, { status: 404 });
    throw error;
  }
}

/** Ends an upload and deletes the received bytes. */
export async function endUpload(access: Access, signal: AbortSignal | undefined): Promise<void> {
  await send(access, {
    method: "DELETE",
    path: "",
    headers: TUS,
    signal,
    // An earlier attempt has deleted it, although its response was lost.
    isGood: (status, attempt) => status === 404 && attempt > 0,
    read: async ({ body }) => await body?.cancel(),
  });
}

async function sendPart(
  access: Access,
  { offset, part, signal }: { offset: number; part: Blob; signal: AbortSignal | undefined },
): Promise<number> {
  const call: Call<number> = {
    method: "PATCH",
    path: "",
    headers: { ...TUS, "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" },
    whole: part,
    signal,
    read: offsetIn,
  };
  return await send(access, call);
}

function offsetIn(response: Response): number {
  const text = response.headers.get("Upload-Offset") ?? "";
  if (!/^\d+$/.test(text)) throw new VeilError("The answer has no valid Upload-Offset header.");
  return Number(text);
}

/** Treats two errors like a broken connection: another attempt still holds the upload, or the offset has changed. */
function passing(error: unknown): unknown {
  const isPassing = error instanceof VeilApiError && (error.status === 423 || error.status === 409);
  return isPassing ? new VeilApiError(error.message, { status: 503 }) : error;
}
