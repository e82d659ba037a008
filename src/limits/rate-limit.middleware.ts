import type { Next } from "hono";
import type { Ratelimit } from "@upstash/ratelimit";
import { callerOf } from "../accounts/caller.ts";
import { MINUTE_MS, SECOND_MS, nowMs } from "../platform/clock.ts";
import type { ApiEnv } from "../platform/env.ts";
import { VeilError } from "../platform/errors.ts";
import { noteInLog, type HttpExchange } from "../platform/http.ts";
import { faultFields, log } from "../platform/log.ts";
import { createRateLimiter, windowStartMs } from "./rate-limit.store.ts";

/** What the limiter says of one request; times are milliseconds since the Unix epoch. */
interface Verdict {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

const limiters = new WeakMap<ApiEnv, Map<number, Ratelimit>>();

/** Counts the request against its account's limit, sets the rate-limit headers, and answers 429 past the limit. */
export function rateLimit(): (c: HttpExchange, next: Next) => Promise<void> {
  return async function limitRate(c, next) {
    const caller = callerOf(c);
    if (caller.requestsPerMinute !== null) {
      const startedAtMs = nowMs();
      const verdict = await judge(c, caller.accountId, caller.requestsPerMinute);
      noteInLog(c, { rateLimitMs: nowMs() - startedAtMs });
      const resetSeconds = Math.ceil(verdict.resetMs / SECOND_MS);
      c.header("X-RateLimit-Limit", String(verdict.limit));
      c.header("X-RateLimit-Remaining", String(verdict.remaining));
      c.header("X-RateLimit-Reset", String(resetSeconds));
      if (!verdict.admitted) {
        const waitSeconds = Math.max(1, Math.ceil((verdict.resetMs - nowMs()) / SECOND_MS));
        throw new VeilError({
          code: "rate_limit_exceeded",
          message: `The plan allows ${verdict.limit} requests a minute. Try again in ${waitSeconds} s.`,
          details: { limit: verdict.limit, reset: resetSeconds },
          headers: { "Retry-After": String(waitSeconds) },
        });
      }
    }
    await next();
  };
}

async function judge(c: HttpExchange, accountId: string, limit: number): Promise<Verdict> {
  try {
    const { success, remaining, reset, reason } = await limiterOf(c.get("config"), limit).limit(accountId);
    if (reason !== "timeout") return { admitted: success, limit, remaining, resetMs: reset };
    log("error", "rate_limit.unavailable", { requestId: c.get("requestId"), accountId, reason });
  } catch (fault) {
    log("error", "rate_limit.unavailable", {
      requestId: c.get("requestId"),
      accountId,
      ...faultFields(fault),
    });
  }
  // The library's own answer is all zeros here; this request is the only one known of.
  return { admitted: true, limit, remaining: limit - 1, resetMs: windowStartMs(nowMs()) + MINUTE_MS };
}

function limiterOf(config: ApiEnv, limit: number): Ratelimit {
  let byLimit = limiters.get(config);
  if (byLimit === undefined) limiters.set(config, (byLimit = new Map<number, Ratelimit>()));
  let limiter = byLimit.get(limit);
  if (limiter === undefined) byLimit.set(limit, (limiter = createRateLimiter(config, limit)));
  return limiter;
}
