import type { Next } from "hono";
import type { KeyWatcher } from "../../records/accounts/authentication.ts";
import { callerOf } from "../../records/accounts/caller.ts";
import { MINUTE_MS, SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { noteInLog, type HttpExchange } from "../../ground/platform/http.ts";
import { errorFields, log, type LogFields } from "../../ground/platform/log.ts";
import { waitAtMost } from "../../ground/platform/wait-at-most.ts";
import {
  createRequestCounter,
  windowStartMs,
  type Counted,
  type RequestCounter,
} from "./rate-limit.store.ts";

/** The limiter's answer for one request; times are milliseconds since the Unix epoch. */
interface Verdict {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** A count that began before its key was looked up, for the account and limit that the key had last. */
interface EarlyCount {
  readonly sha256: string;
  readonly last: LastCaller | undefined;
  readonly hit: Promise<Hit> | undefined;
}

/** The store's answer, or the log fields of its failure. */
type Hit = Counted | { readonly fault: LogFields };

interface LastCaller {
  readonly accountId: string;
  readonly limit: number;
}

declare module "hono" {
  interface ContextVariableMap {
    earlyCount?: EarlyCount;
  }
}

const counters = new WeakMap<ApiEnv, Promise<RequestCounter>>();
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
    c.set("earlyCount", { sha256, last, hit: last && hit(c.get("config"), last) });
  },
  async refused(c, sha256) {
    lastCallers.delete(sha256);
    const { last, hit: early } = c.get("earlyCount") ?? {};
    if (last === undefined || early === undefined) return;
    const config = c.get("config");
    const found = await inTime(config, early);
    if ("fault" in found || !found.isCounted) return;
    const counter = await counterOf(config);
    await waitAtMost(config.RATE_LIMIT_TIMEOUT_MS, counter.giveBack(last.accountId, last.limit));
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
async function count(c: HttpExchange, caller: LastCaller): Promise<Verdict> {
  const early = c.get("earlyCount");
  const isRight = early?.last?.accountId === caller.accountId && early.last.limit === caller.limit;
  if (isRight && early.hit !== undefined) return await judge(c, caller, early.hit);
  if (early !== undefined) {
    if (lastCallers.size >= MOST_KEYS) lastCallers.clear();
    lastCallers.set(early.sha256, caller);
  }
  return await judge(c, caller, hit(c.get("config"), caller));
}

async function hit(config: ApiEnv, { accountId, limit }: LastCaller): Promise<Hit> {
  try {
    const counter = await counterOf(config);
    return await counter.hit(accountId, limit);
  } catch (error) {
    return { fault: errorFields(error) };
  }
}

async function judge(
  c: HttpExchange,
  { accountId, limit }: LastCaller,
  answer: Promise<Hit>,
): Promise<Verdict> {
  const found = await inTime(c.get("config"), answer);
  if (!("fault" in found)) return { ...found, admitted: found.isCounted, limit };
  log("error", "rate_limit.unavailable", { requestId: c.get("requestId"), accountId, ...found.fault });
  // Only this request is known.
  return { admitted: true, limit, remaining: limit - 1, resetMs: windowStartMs(nowMs()) + MINUTE_MS };
}

async function inTime(config: ApiEnv, answer: Promise<Hit>): Promise<Hit> {
  return (await waitAtMost(config.RATE_LIMIT_TIMEOUT_MS, answer)) ?? { fault: { reason: "timeout" } };
}

async function counterOf(config: ApiEnv): Promise<RequestCounter> {
  let counter = counters.get(config);
  if (counter === undefined) counters.set(config, (counter = createRequestCounter(config)));
  return await counter;
}
