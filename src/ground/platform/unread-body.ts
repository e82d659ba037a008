import { openBodyReader, type BodyReader } from "./body-reader.ts";
import { SECOND_MS, nowMs } from "./clock.ts";
import type { HttpMiddleware } from "./http.ts";
import { waitAtMost } from "./wait-at-most.ts";

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_MS = 10 * SECOND_MS;
/** A busy client can pause for a second while it still sends. */
const IDLE_MS = 2 * SECOND_MS;

/**
 * Drains the unread rest of a body before the response is sent, for a limited time. Otherwise, closing the connection while the
 * client is still sending could lose the response. The service does not wait for a client that sends nothing.
 */
export function leaveUnreadBody(): HttpMiddleware {
  return async function leaveUnread(c, next) {
    await next();
    const body: ReadableStream<Uint8Array> | null = c.req.raw.body;
    if (body !== null && !body.locked) await leave(openBodyReader(body));
  };
}

async function leave(reader: BodyReader): Promise<void> {
  try {
    const deadlineMs = nowMs() + MAX_MS;
    for (let leftBytes = MAX_BYTES; leftBytes > 0 && nowMs() < deadlineMs;) {
      const next = await waitAtMost(IDLE_MS, reader.read());
      if (next === undefined) break;
      if (next.done) {
        reader.release();
        return;
      }
      leftBytes -= next.value.length;
    }
    await reader.cancel();
  } catch {
    // The client has disconnected, so nobody waits for a response.
    await reader.cancel().catch(() => undefined);
  }
}
