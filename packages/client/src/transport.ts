import { delayBeforeRetryMs, retryAfterSecondsOf, sleep, type RetryPolicy } from "./back-off.ts";
import { VeilApiError, VeilConnectionError, VeilError, type VeilFileError } from "./errors.ts";
import { watchIdleness, type IdleWatch } from "./idle-watch.ts";
import type { ErrorBody } from "./types.ts";

/** Stops a call; it then throws the signal's reason. */
export interface Stoppable {
  readonly signal?: AbortSignal | undefined;
}

const REDIRECT = knownRedirectMode();
/** How platforms describe the error of a forbidden redirect. */
const REDIRECTED = /redirect/i;
/** How platforms describe a closed port, a port that fetch never uses, and a host name that does not exist. */
const UNREACHABLE = /ECONNREFUSED|connection ?refused|ENOTFOUND|bad port/i;

/** Sends a request like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The service's location, and the retry and timeout settings. */
export interface Access {
  readonly baseUrl: string;
  /** Undefined if the URL is its own secret. */
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
  readonly retry: RetryPolicy;
  /** Idle timeout, after which the request is retried. */
  readonly idleTimeoutMs: number;
  /** Whether the service has ever responded to this client, and whether it has refused the parameter `wait`. */
  readonly contact: { isMade: boolean; refusesWait: boolean };
}

/** A request body that can be sent again from its beginning. */
export interface RepeatableBody {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Opens a new stream of the whole body. */
  open(listener: BodyListener): ReadableStream<Uint8Array>;
}

/** Called while a body is sent; its signal stops the body. */
export interface BodyListener {
  readonly signal: AbortSignal;
  readonly onPiece: (bytes: number) => void;
  /** Called when the source of the body cannot be read. */
  readonly onError: (error: VeilFileError) => void;
}

/** One call of the API. */
export interface Call<T> {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RepeatableBody;
  /** A body that is not streamed, because browsers cannot stream one. */
  readonly whole?: Blob;
  readonly onSent?: (sentBytes: number) => void;
  readonly signal?: AbortSignal | undefined;
  /** Whether a status other than 2xx counts as success. `attempt` is the number of retries so far. */
  readonly isGood?: (status: number, attempt: number) => boolean;
  /** Reads a successful response. An error in it causes a retry. */
  readonly read: (response: Response, watch: IdleWatch) => Promise<T> | T;
}

/**
 * Makes a call and retries it on temporary errors.
 *
 * @throws VeilApiError, VeilConnectionError or VeilTimeoutError of the last attempt, or the reason of the call's signal
 */
export async function send<T>(access: Access, call: Call<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    call.signal?.throwIfAborted();
    try {
      return await sendOnce(access, call, attempt);
    } catch (error) {
      call.signal?.throwIfAborted();
      const delayMs = delayBeforeRetryMs(error, attempt, access.retry);
      if (delayMs === undefined) throw error;
      await sleep(delayMs, call.signal);
    }
  }
}

async function sendOnce<T>(access: Access, call: Call<T>, attempt: number): Promise<T> {
  const watch = watchIdleness(access.idleTimeoutMs, call.signal);
  let fileError: VeilFileError | undefined;
  let sentBytes = 0;
  const listener: BodyListener = {
    signal: watch.signal,
    onPiece: (bytes) => {
      watch.moved();
      call.onSent?.((sentBytes += bytes));
    },
    onError: (error) => (fileError = error),
  };
  try {
    const response = await access.fetch(`${access.baseUrl}${call.path}`, {
      method: call.method,
      headers: {
        ...(access.apiKey === undefined ? {} : { Authorization: `Bearer ${access.apiKey}` }),
        ...bodyHeaders(call.body),
        ...call.headers,
      },
      // A redirect would send the file and its key to a place other than the named one. Also, where redirects are possible,
      // Node keeps a copy of the whole body (Fetch §4.6 clones the request).
      redirect: REDIRECT,
      signal: watch.signal,
      ...(call.whole === undefined ? streamedBody(call.body?.open(listener)) : { body: call.whole }),
    });
    watch.moved();
    access.contact.isMade = true;
    const isGood = response.ok || call.isGood?.(response.status, attempt) === true;
    if (!isGood) throw await apiErrorOf(response);
    return await call.read(response, watch);
  } catch (error) {
    throw fileError ?? faultOf(error, watch, access);
  } finally {
    watch.pause();
  }
}

/** Workers cannot forbid redirects, and return them instead. */
function knownRedirectMode(): "error" | "manual" {
  try {
    const { redirect } = new Request("https://veil.example.com", { redirect: "error" });
    return redirect === "error" ? "error" : "manual";
  } catch {
    return "manual";
  }
}

/** Converts a platform's error into one of the client's, or returns the reason for which the exchange was stopped. */
export function faultOf(error: unknown, { signal }: IdleWatch, { baseUrl, contact }: Access): Error {
  if (error instanceof VeilError) return error;
  if (signal.aborted) return signal.reason as Error;
  const sentence = sentenceOf(error);
  if (REDIRECTED.test(sentence))
    return new VeilError("The answer is a redirect; is the base URL right?", { cause: error });
  // The rest of a resumable upload's URL is a secret.
  const { origin } = new URL(baseUrl);
  if (UNREACHABLE.test(sentence))
    return new VeilConnectionError(`Cannot connect to ${origin}: ${sentence}`, {
      cause: error,
      isUnreachable: !contact.isMade,
    });
  return new VeilConnectionError(`The connection to ${origin} broke: ${sentence}`, { cause: error });
}

/** The message of a platform's error. fetch hides the reason in `cause`. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // If a host has several addresses, each has an error, and the aggregate has no message.
  const inner: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return inner instanceof Error && inner.message !== "" ? inner.message : error.message;
}

function bodyHeaders(body: RepeatableBody | undefined): Record<string, string> {
  if (body === undefined) return {};
  // Browsers ignore the length. Elsewhere, it lets the service refuse a file that is too large before it is sent.
  return { "Content-Type": body.contentType, "Content-Length": String(body.sizeBytes) };
}

function streamedBody(body: ReadableStream<Uint8Array> | undefined): RequestInit {
  // A streamed body requires this (Fetch §5.4), but not all declarations of RequestInit include it.
  return body === undefined ? {} : ({ body, duplex: "half" } as RequestInit);
}

async function apiErrorOf(response: Response): Promise<VeilApiError> {
  const { status } = response;
  const text = await response.text().catch(() => "");
  const body = envelopeOf(text);
  const retryAfterSeconds = retryAfterSecondsOf(response.headers.get("Retry-After"));
  return new VeilApiError(body?.error.message ?? sentenceOfAnswer(response), {
    status,
    body,
    retryAfterSeconds,
  });
}

function sentenceOfAnswer({ status, headers }: Response): string {
  const target = headers.get("Location");
  return target === null
    ? `The answer is ${status}, which does not come from the service; is the base URL right?`
    : `The answer is ${status}, a redirect to ${target}; is the base URL right?`;
}

function envelopeOf(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Partial<ErrorBody> | null;
    return typeof body?.error?.code === "string" && typeof body.error.message === "string"
      ? (body as ErrorBody)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a JSON response of the type that the contract specifies. */
export async function readJson<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

/** Reads a text of a type for which Workers warn of `text()`. */
export async function readBytesAsText(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer());
}
