import { delayBeforeRetryMs, sleep } from "./back-off.ts";
import { VeilApiError, VeilTimeoutError } from "./errors.ts";
import { readJson, send, type Access, type Stoppable } from "./transport.ts";
import type { Media, MediaStatus } from "./types.ts";

const FIRST_POLL_MS = 250;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 5_000;
/** The longest `wait` that the service accepts. */
const LONGEST_WAIT_SECONDS = 20;
const SECOND_MS = 1_000;
const FINAL: ReadonlySet<MediaStatus> = new Set(["completed", "failed", "quota_exceeded"]);

/** How long to wait for a media item. */
export interface WaitOptions extends Stoppable {
  /** Unlimited by default. */
  readonly timeoutMs?: number | undefined;
  /** Called with each answer, every 5 seconds or more often. */
  readonly onPoll?: ((media: Media) => void) | undefined;
}

/**
 * Waits until a media item has ended. Each request lets the service wait (`?wait=`). With a service that cannot, or where
 * such requests break, it polls at increasing intervals.
 */
export async function waitForEnd(
  access: Access,
  { mediaId, path }: { readonly mediaId: string; readonly path: string },
  { timeoutMs, onPoll, signal }: WaitOptions,
): Promise<Media> {
  const untilMs = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
  const longestMs = Math.min(
    onPoll === undefined ? LONGEST_WAIT_SECONDS * SECOND_MS : LONGEST_POLL_MS,
    access.idleTimeoutMs / 2,
  );
  const service = { canWait: true };
  for (let delayMs = FIRST_POLL_MS; ;) {
    const askedAtMs = Date.now();
    const mayWait = service.canWait && !access.contact.refusesWait;
    const waitSeconds = mayWait ? Math.floor(Math.min(longestMs, untilMs - askedAtMs) / SECOND_MS) : 0;
    const media = await ask(access, path, { waitSeconds, service, signal });
    onPoll?.(media);
    if (FINAL.has(media.status)) return media;
    const leftMs = untilMs - Date.now();
    if (leftMs <= 0)
      throw new VeilTimeoutError(
        `Media ${mediaId} is still ${media.status}; the client stopped waiting for it.`,
      );
    // A service that ignores `wait` answers at once.
    const hasWaited = waitSeconds > 0 && Date.now() - askedAtMs >= (waitSeconds * SECOND_MS) / 2;
    if (hasWaited) continue;
    await sleep(Math.min(delayMs * (0.8 + 0.4 * Math.random()), leftMs), signal);
    delayMs = Math.min(delayMs * POLL_GROWTH, LONGEST_POLL_MS);
  }
}

/** Asks with `wait`, and without it if that fails. */
async function ask(
  access: Access,
  path: string,
  {
    waitSeconds,
    service,
    signal,
  }: { waitSeconds: number; service: { canWait: boolean }; signal: AbortSignal | undefined },
): Promise<Media> {
  const get = async (from: Access, address: string): Promise<Media> =>
    await send(from, { method: "GET", path: address, signal, read: readJson<Media> });
  if (waitSeconds < 1) return await get(access, path);
  try {
    return await get({ ...access, retry: { ...access.retry, retries: 0 } }, `${path}?wait=${waitSeconds}`);
  } catch (error) {
    signal?.throwIfAborted();
    const status = error instanceof VeilApiError ? error.status : undefined;
    const delayMs = status === 422 ? 0 : delayBeforeRetryMs(error, 0, access.retry);
    if (delayMs === undefined) throw error;
    if (status === 422) access.contact.refusesWait = true;
    // A proxy may end requests that take long. The rate limit has nothing to do with the wait.
    if (status !== 429) service.canWait = false;
    await sleep(delayMs, signal);
    return await get(access, path);
  }
}
