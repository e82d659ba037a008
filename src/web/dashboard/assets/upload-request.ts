import { faultOf } from "./answered-fault.ts";

/** A connection without data for this long counts as lost. The service takes seconds to answer a whole file. */
const STALL_MS = 120_000;

interface Unsent {
  readonly fault: string;
  readonly retryAfterSeconds: number | undefined;
}

/**
 * The result of one attempt to send a file: the id of its media item, or why there is none.
 *
 * - `lost`: the connection broke off. `hasKept` says that the service has more of the file than before.
 * - `limited`: the rate limit is used up, for all files.
 * - `later`: the service may accept the same file later.
 * - `signed_out`: the session has ended, or the page belongs to an older session.
 * - `quota`: the service accepts no more files of this kind in this period.
 * - `refused`: the service does not accept this file.
 */
export type Outcome =
  | { readonly kind: "stored"; readonly mediaId: string }
  | (Unsent & { readonly kind: "lost"; readonly hasKept?: boolean })
  | (Unsent & { readonly kind: "signed_out" })
  | (Unsent & { readonly kind: "quota"; readonly metric: unknown })
  | (Unsent & { readonly kind: "limited" | "later" | "refused" });

export interface Sending {
  file: File;
  fields: readonly (readonly [string, string])[];
  /** The same for each attempt to send one file, so that it is not stored twice. */
  idempotencyKey: string;
  signal: AbortSignal;
  onProgress: (sentShare: number) => void;
}

/** Sends a file to the service. */
export type Transport = (sending: Sending) => Promise<Outcome>;

/** Where files are sent, and the session's token. It is read for each file, because a person may sign in again. */
export interface Session {
  readonly url: string;
  readonly csrfToken: string;
  readonly batchId: string;
}

export const UNREADABLE: Outcome = {
  kind: "refused",
  fault: "The file can no longer be read. It may have been moved or changed: choose it again.",
  retryAfterSeconds: undefined,
};

/** Sends each file in one request. Never rejects. */
export function sendWhole(session: Session): Transport {
  return async ({ file, fields, ...sending }) => {
    if (!(await isReadable(file))) return UNREADABLE;
    return await sendOrder(session, { ...sending, fields: [...fields, ["file", file]] });
  };
}

/** Requests the redaction of a file that is among the fields or already on the service. */
export async function sendOrder(
  { url, csrfToken, batchId }: Session,
  {
    fields,
    idempotencyKey,
    signal,
    onProgress,
  }: Omit<Sending, "file" | "fields"> & { fields: readonly (readonly [string, string | File])[] },
): Promise<Outcome> {
  const body = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === "string") body.append(name, value);
    // Without a name, browsers send the path of a file from a chosen folder.
    else body.append(name, value, value.name);
  }
  const headers = {
    Accept: "application/json",
    "X-CSRF-Token": csrfToken,
    "Idempotency-Key": idempotencyKey,
    "X-Upload-Batch": batchId,
  };
  return outcomeOf(await exchange({ method: "POST", url, headers, body, signal, onProgress }));
}

/** Sends one request and returns its answer. Never rejects. If the connection breaks or stalls, the status is 0. */
export async function exchange({
  method,
  url,
  headers,
  body,
  signal,
  onProgress,
}: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: XMLHttpRequestBodyInit | undefined;
  readonly signal: AbortSignal;
  readonly onProgress?: (sentShare: number) => void;
}): Promise<XMLHttpRequest> {
  return await new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const abort = () => {
      request.abort();
    };
    let stall = 0;
    const watch = () => {
      window.clearTimeout(stall);
      stall = window.setTimeout(abort, STALL_MS);
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      watch();
      onProgress?.(loaded / total);
    });
    const end = () => {
      window.clearTimeout(stall);
      signal.removeEventListener("abort", abort);
      resolve(request);
    };
    request.addEventListener("loadend", end);
    signal.addEventListener("abort", abort);
    watch();
    // A request that is aborted before it is sent dispatches no event.
    if (signal.aborted) end();
    else request.send(body);
  });
}

export async function isReadable(file: File) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

export function outcomeOf(request: XMLHttpRequest): Outcome {
  const { id, error } = readAnswer(request.responseText);
  const { status } = request;
  if (status === 201 && id !== undefined) return { kind: "stored", mediaId: id };
  const retryAfterSeconds = retryAfterOf(request);
  if (status === 0) return { kind: "lost", fault: "The connection was lost.", retryAfterSeconds };
  // The token of another session gives 403. If another team is now selected, the answer is 404.
  if ([401, 403, 404].includes(status))
    return { kind: "signed_out", fault: "The session has ended.", retryAfterSeconds };
  const fault = faultOf(error);
  const { details } = error ?? {};
  if (error?.code === "rate_limit_exceeded") {
    const limit = `The plan allows ${String(details?.["limit"])} requests per minute.`;
    return { kind: "limited", fault: limit, retryAfterSeconds };
  }
  if (error?.code === "quota_exceeded")
    return { kind: "quota", fault, retryAfterSeconds, metric: details?.["metric"] };
  const isTransient = status >= 500 || status === 429 || retryAfterSeconds !== undefined;
  return { kind: isTransient ? "later" : "refused", fault, retryAfterSeconds };
}

/** The delay that an answer requests, as seconds or as a date (RFC 9110, 10.2.3). */
function retryAfterOf(request: XMLHttpRequest) {
  const text = request.getResponseHeader("Retry-After");
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(1, Math.ceil(seconds));
}

interface AnsweredError {
  code: string;
  message: string;
  details?: Record<string, unknown>;
}

function readAnswer(body: string): { id?: string; error?: AnsweredError } {
  try {
    return JSON.parse(body) as ReturnType<typeof readAnswer>;
  } catch {
    return {};
  }
}
