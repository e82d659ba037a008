import { refusalOfHost, resolveHost } from "../../ground/public-hosts/host-resolver.ts";
import { checkPublicUrl, type PublicUrl } from "../../ground/public-hosts/public-url.ts";
import { SECOND_MS } from "../../ground/platform/clock.ts";
import { SOURCE_REQUESTS } from "../../ground/platform/retry-schedules.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry, type RetryPolicy } from "../../ground/platform/retry.ts";
import { namesNotLookedUp } from "./upload.errors.ts";
import { MAX_SOURCE_URL_CHARACTERS } from "./source-url.ts";

const MAX_REDIRECTS = 3;
/** Time for all lookups, requests and redirects together. The file itself has its own time limit. */
const OPEN_TIMEOUT_MS = 20 * SECOND_MS;
const OK = 200;
/** Redirect statuses (RFC 9110 §15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Statuses after which the same request may soon succeed (RFC 9110 §15.6, RFC 6585 §4). */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** The content codings that the runtime decodes. With any other, the bytes would not be the file's. */
const DECODED: ReadonlySet<string> = new Set(["", "identity", "gzip"]);
const HEADERS = {
  Accept: "image/*, video/*;q=0.9, */*;q=0.1",
  "Accept-Encoding": "identity",
  "User-Agent": "Veil-Fetch/1.0",
};

/** The reason why a source cannot be fetched. The message is a full sentence for the client, without the URL's path or query. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  /** Whether a retry may help. */
  readonly isPassing: boolean;

  constructor(message: string, options: { isPassing?: boolean } = {}) {
    super(message);
    this.isPassing = options.isPassing ?? false;
  }
}

/** A source whose response has begun. */
export interface OpenSource {
  readonly body: ReadableStream<Uint8Array>;
  readonly redirects: number;
  /** Ends the exchange, even if some of the body is unread. */
  close(): void;
}

type SourceEnv = Pick<ApiEnv, "DNS_RESOLVER_URL" | "LOCAL_DEVELOPMENT">;

/**
 * Requests a source's file and follows its redirects. Each redirect is checked like the first URL. A host name is looked up
 * before the request and again before a byte of the response is read, because its address may change in between.
 *
 * @throws SourceError when the source is not public, cannot be reached or returns no file; VeilError 503 when host names cannot
 * be looked up
 */
export async function openSource(config: SourceEnv, first: PublicUrl): Promise<OpenSource> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort();
  }, OPEN_TIMEOUT_MS);
  try {
    const { response, redirects } = await follow(config, first, controller.signal);
    return {
      body: fileOf(response),
      redirects,
      close() {
        controller.abort();
      },
    };
  } catch (error) {
    controller.abort();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function follow(
  config: SourceEnv,
  first: PublicUrl,
  signal: AbortSignal,
): Promise<{ response: Response; redirects: number }> {
  const again: RetryPolicy = {
    ...SOURCE_REQUESTS,
    isTransient: (error) => error instanceof SourceError && error.isPassing && !signal.aborted,
  };
  let target = first;
  for (let redirects = 0; ; redirects++) {
    const asked = target;
    const response = await withRetry(again, async () => await ask(config, asked, signal));
    if (!REDIRECTS.has(response.status)) return { response, redirects };
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS)
      throw new SourceError(`The source redirects more than ${MAX_REDIRECTS} times.`);
    target = redirectTarget(config, asked, response);
  }
}

/** Makes one request to one address. @throws SourceError */
async function ask(config: SourceEnv, target: PublicUrl, signal: AbortSignal): Promise<Response> {
  await expectPublic(config, target);
  let response: Response;
  try {
    response = await fetch(target.url, { headers: HEADERS, redirect: "manual", cache: "no-store", signal });
  } catch {
    throw signal.aborted
      ? new SourceError(`The source did not answer within ${OPEN_TIMEOUT_MS / SECOND_MS} s.`)
      : new SourceError("The source could not be reached.", { isPassing: true });
  }
  try {
    await expectPublic(config, target);
    expectAnswer(response);
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return response;
}

async function expectPublic(config: SourceEnv, { nameToResolve }: PublicUrl): Promise<void> {
  if (nameToResolve === undefined) return;
  const verdict = await withRetry(
    STORAGE_RETRY,
    async () => await resolveHost(config.DNS_RESOLVER_URL, nameToResolve),
  ).catch((cause: unknown): never => {
    log("error", "upload.resolver_unavailable", errorFields(cause));
    throw namesNotLookedUp(cause);
  });
  if (verdict !== "public") throw new SourceError(refusalOfHost(nameToResolve, verdict));
}

function expectAnswer({ status, headers }: Response): void {
  if (REDIRECTS.has(status)) return;
  if (status !== OK)
    throw new SourceError(
      `The source answered with status ${status}; expected 200 with the file, without signing in.`,
      { isPassing: PASSING.has(status) },
    );
  const coding = (headers.get("Content-Encoding") ?? "").trim().toLowerCase();
  if (!DECODED.has(coding))
    throw new SourceError("The source answered in an unknown Content-Encoding; expected none, or gzip.");
}

function redirectTarget(config: SourceEnv, from: PublicUrl, { headers }: Response): PublicUrl {
  const location = headers.get("Location");
  const url = location === null ? null : URL.parse(location, from.url);
  if (url === null) throw new SourceError("The source redirects to nowhere: its `Location` cannot be read.");
  const checked = checkPublicUrl(url.href, {
    isLocal: config.LOCAL_DEVELOPMENT,
    maxCharacters: MAX_SOURCE_URL_CHARACTERS,
  });
  if ("refusal" in checked)
    throw new SourceError(`The source redirects to an address that is refused. ${checked.refusal}`);
  return checked;
}

function fileOf(response: Response): ReadableStream<Uint8Array> {
  const body: ReadableStream<Uint8Array> | null = response.body;
  if (body === null) throw new SourceError("The source answered without a body; expected the file.");
  return body;
}
