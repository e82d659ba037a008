import type { Next } from "hono";
import type { Ratelimit } from "@upstash/ratelimit";
import type { KeyWatcher } from "../../records/accounts/authentication.ts";
import { callerOf } from "../../records/accounts/caller.ts";
import { MINUTE_MS, SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { noteInLog, type HttpExchange } from "../../ground/platform/http.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { createRateLimiter, windowStartMs } from "./rate-limit.store.ts";

/** The limiter's answer for one request; times are milliseconds since the Unix epoch. */
interface Verdict {
  readonly admitted: boolean;
  readonly isCounted: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** A count that began before its key was looked up, for the account and limit that the key had last. */
interface EarlyCount {
  readonly sha256: string;
  readonly last: LastCaller | undefined;
  readonly verdict: Promise<Verdict> | undefined;
}

interface LastCaller {
  readonly accountId: string;
  readonly limit: number;
}

declare module "hono" {
  interface ContextVariableMap {
    earlyCount?: EarlyCount;
  }
}

const limiters = new WeakMap<ApiEnv, Map<number, Promise<Ratelimit>>>();
/** The most keys that are remembered. An isolate serves few, and a forgotten key only costs a wait. */
const MOST_KEYS = 1_000;
const lastCallers = new Map<string, LastCaller>();

/**
 * Begins to count a request while its key is looked up, if the key was accepted before, so that both waits overlap. If the key has been
 * revoked meanwhile, the count is subtracted again.
 */
export const countEarly: KeyWatcher = {
  seen(c, sha256) {
    const last = lastCallers.get(sha256);
    c.set("earlyCount", { sha256, last, verdict: last && judge(c, last.accountId, last.limit) });
  },
  async refused(c, sha256) {
    lastCallers.delete(sha256);
    const { last, verdict } = c.get("earlyCount") ?? {};
    if (last === undefined || (await verdict)?.isCounted !== true) return;
    const limiter = await limiterOf(c.get("config"), last.limit);
    await limiter.limit(last.accountId, { rate: -1 });
  },
};

/** Counts the request against its account's limit, sets the rate-limit headers, and answers 429 past the limit. */
export function rateLimit(): (c: HttpExchange, next: Next) => Promise<void> {
  return async function limitRate(c, next) {
    const caller = callerOf(c);
    if (caller.requestsPerMinute !== null) {
      const startedAtMs = nowMs();
      const verdict = await count(c, { accountId: caller.accountId, limit: caller.requestsPerMinute });
      noteInLog(c, { rateLimitMs: nowMs() - startedAtMs });
      const resetSeconds = Math.ceil(verdict.resetMs / SECOND_MS);
      c.header("X-RateLimit-Limit", String(verdict.limit));
      c.header("X-RateLimit-Remaining", String(verdict.remaining));
      c.header("X-RateLimit-Reset", String(resetSeconds));
      if (!verdict.admitted) {
        const waitSeconds = Math.max(1, Math.ceil((verdict.resetMs - nowMs()) / SECOND_MS));
        throw new VeilError({
          code: "rate_limit_exceeded",
          message: `The plan allows ${verdict.limit} requests per minute. Try again in ${waitSeconds} s.`,
          details: { limit: verdict.limit, reset: resetSeconds },
          headers: { "Retry-After": String(waitSeconds) },
        });
      }
    }
    await next();
  };
}

/** The answer of the early count if its account and limit were right, or else of a new count. */
async function count(c: HttpExchange, { accountId, limit }: LastCaller): Promise<Verdict> {
  const early = c.get("earlyCount");
  const isRight = early?.last?.accountId === accountId && early.last.limit === limit;
  if (isRight && early.verdict !== undefined) return await early.verdict;
  if (early !== undefined) {
    if (lastCallers.size >= MOST_KEYS) lastCallers.clear();
    lastCallers.set(early.sha256, { accountId, limit });
  }
  return await judge(c, accountId, limit);
}

async function judge(c: HttpExchange, accountId: string, limit: number): Promise<Verdict> {
  try {
    const limiter = await limiterOf(c.get("config"), limit);
    const { success, remaining, reset, reason } = await limiter.limit(accountId);
    if (reason !== "timeout")
      return { admitted: success, isCounted: success, limit, remaining, resetMs: reset };
    log("error", "rate_limit.unavailable", { requestId: c.get("requestId"), accountId, reason });
  } catch (error) {
    log("error", "rate_limit.unavailable", {
      requestId: c.get("requestId"),
      accountId,
      ...errorFields(error),
    });
  }
  // The library answers with zeros here, and only this request is known.
  return {
    admitted: true,
    isCounted: false,
    limit,
    remaining: limit - 1,
    resetMs: windowStartMs(nowMs()) + MINUTE_MS,
  };
}

async function limiterOf(config: ApiEnv, limit: number): Promise<Ratelimit> {
  let byLimit = limiters.get(config);
  if (byLimit === undefined) limiters.set(config, (byLimit = new Map<number, Promise<Ratelimit>>()));
  let limiter = byLimit.get(limit);
  if (limiter === undefined) byLimit.set(limit, (limiter = createRateLimiter(config, limit)));
  return await limiter;
}
