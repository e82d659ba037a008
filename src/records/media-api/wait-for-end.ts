import type { MediaOwnership, ShownMedia } from "../media/media.repository.ts";
import { pollMediaAgain } from "../media/media.service.ts";
import { hasEnded } from "../media/media.states.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { noteInLog, type HttpExchange } from "../../ground/platform/http.ts";

const FIRST_PAUSE_MS = 150;
const PAUSE_GROWTH = 1.15;
const LONGEST_PAUSE_MS = SECOND_MS / 2;

/**
 * Waits until a media item has ended, its request's client has disconnected, or the time is over. Returns its newest state.
 *
 * It sleeps on a timer and reads one row after each pause. In 20 s that is at most 44 reads, and an answer is at most half a second
 * late. A Worker is billed for processor time, and a sleeping timer takes none. A Durable Object would be billed for all the time
 * that a request waits in it, and each Worker that ends a job would have to notify it, which can fail.
 *
 * @throws VeilError 401 if the key is revoked meanwhile, 404 if the media item is deleted
 */
export async function waitForEnd(
  c: HttpExchange,
  owned: MediaOwnership,
  { polled, waitSeconds }: { readonly polled: ShownMedia; readonly waitSeconds: number },
): Promise<ShownMedia> {
  const request = c.req.raw;
  const startedAtMs = nowMs();
  const untilMs = startedAtMs + waitSeconds * SECOND_MS;
  let row = polled;
  let reads = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * PAUSE_GROWTH, LONGEST_PAUSE_MS)) {
    const leftMs = untilMs - nowMs();
    if (hasEnded(row.status) || leftMs <= 0 || request.signal.aborted) break;
    await pause(Math.min(pauseMs, leftMs), request.signal);
    if (request.signal.aborted) break;
    row = await pollMediaAgain(c.get("config"), request, owned);
    reads += 1;
  }
  noteInLog(c, { waitedMs: nowMs() - startedAtMs, waitReads: reads });
  return row;
}

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
