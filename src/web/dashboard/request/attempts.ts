import type { RateLimiter } from "../../../intake/limits/rate-limit.durable-object.ts";
import { MINUTE_MS, SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import { VeilError } from "../../../ground/platform/errors.ts";
import { sha256Hex } from "../../../ground/platform/ids.ts";
import { signHex } from "../../../ground/platform/hmac.ts";
import type { DashboardContext } from "./dashboard.http.ts";

const WINDOW_MS = 10 * MINUTE_MS;
const TRIES_PER_SUBJECT = 10;
const TRIES_PER_ADDRESS = 100;

/** The kinds of attempts, each counted separately. */
type AttemptKind = "sign_in" | "sign_up" | "reset" | "second_factor";

/**
 * Counts an attempt in a window of ten minutes. The limits are ten per user and a hundred per IP address. Counts are exact at all
 * locations.
 *
 * @param subject the user: an email address or an ID
 * @throws VeilError 429 if a limit is exceeded
 */
export async function countAttempt(c: DashboardContext, kind: AttemptKind, subject: string): Promise<void> {
  const address = c.req.header("CF-Connecting-IP") ?? "unknown";
  // A counter's name is stored and must not contain an IP address, which is personal data.
  const addressDigest = await signHex(
    c.get("config").AUTH_SECRET ?? "",
    new TextEncoder().encode(`attempts:${address}`),
  );
  const windowStartMs = Math.floor(nowMs() / WINDOW_MS) * WINDOW_MS;
  const hits = await Promise.all([
    counterOf(c, `${kind}:subject:${await sha256Hex(subject)}`).hit(windowStartMs, TRIES_PER_SUBJECT),
    counterOf(c, `${kind}:address:${addressDigest}`).hit(windowStartMs, TRIES_PER_ADDRESS),
  ]);
  if (hits.every(({ counted }) => counted)) return;
  const waitMs = windowStartMs + WINDOW_MS - nowMs();
  throw new VeilError({
    code: "rate_limit_exceeded",
    message: `Too many attempts. Wait ${Math.ceil(waitMs / MINUTE_MS)} min, then try again.`,
    headers: { "Retry-After": String(Math.ceil(waitMs / SECOND_MS)) },
  });
}

function counterOf(c: DashboardContext, name: string) {
  const namespace = c.get("config").RATE_LIMITER as DurableObjectNamespace<RateLimiter>;
  return namespace.get(namespace.idFromName(`attempts:${name}`));
}
