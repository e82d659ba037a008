import { MINUTE_MS, nowMs } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import type { RateLimiter } from "./rate-limit.durable-object.ts";

const PREFIX = "veil:rate";

/** Counts the requests of each account in windows of one minute. */
export interface RequestCounter {
  /** Counts a request unless `limit` requests are counted already. */
  hit(accountId: string, limit: number): Promise<Counted>;
  /** Subtracts a request that was counted. */
  giveBack(accountId: string, limit: number): Promise<void>;
}

/** The result of a hit. */
export interface Counted {
  readonly isCounted: boolean;
  readonly remaining: number;
  /** When the window ends, in milliseconds since the Unix epoch. */
  readonly resetMs: number;
}

/** Start of the one-minute window that contains `timeMs`. Windows start at whole minutes of Unix time. */
export function windowStartMs(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** A counter in Upstash Redis if that is configured, or else in one Durable Object per account. */
export async function createRequestCounter(config: ApiEnv): Promise<RequestCounter> {
  const { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token = "" } = config;
  if (url !== undefined) return await redisCounter(url, token);
  return durableObjectCounter(config.RATE_LIMITER as DurableObjectNamespace<RateLimiter>);
}

/** The most IDs that are remembered. An isolate serves few accounts, and a forgotten ID only costs a hash. */
const MOST_IDS = 1_000;

/** Each account has one object, whose ID is a hash of its name. */
function durableObjectCounter(namespace: DurableObjectNamespace<RateLimiter>): RequestCounter {
  const ids = new Map<string, DurableObjectId>();
  const objectOf = (accountId: string) => {
    let id = ids.get(accountId);
    if (id === undefined) {
      if (ids.size >= MOST_IDS) ids.clear();
      ids.set(accountId, (id = namespace.idFromName(`${PREFIX}:${accountId}`)));
    }
    return namespace.get(id);
  };
  return {
    async hit(accountId, limit) {
      const startMs = windowStartMs(nowMs());
      const { counted, count } = await objectOf(accountId).hit(startMs, limit);
      return {
        isCounted: counted,
        remaining: Math.max(0, limit - count),
        resetMs: startMs + MINUTE_MS,
      };
    },
    async giveBack(accountId) {
      await objectOf(accountId).giveBack(windowStartMs(nowMs()), 1);
    },
  };
}

async function redisCounter(url: string, token: string): Promise<RequestCounter> {
  // These modules load on first use, so that the API starts without them.
  const [{ Ratelimit }, { Redis }] = await Promise.all([
    import("@upstash/ratelimit"),
    import("@upstash/redis/cloudflare"),
  ]);
  const retry = { retries: 1, backoff: () => 50 };
  const redis = new Redis({ url, token, retry, enableTelemetry: false });
  const limiters = new Map<number, InstanceType<typeof Ratelimit>>();
  const limiterOf = (limit: number) => {
    let limiter = limiters.get(limit);
    if (limiter === undefined) {
      const fixedWindow = Ratelimit.fixedWindow(limit, "1 m");
      // The middleware limits the time of both stores.
      const options = { prefix: PREFIX, timeout: 0, ephemeralCache: false as const };
      limiters.set(limit, (limiter = new Ratelimit({ ...options, redis, limiter: fixedWindow })));
    }
    return limiter;
  };
  return {
    async hit(accountId, limit) {
      const { success, remaining, reset } = await limiterOf(limit).limit(accountId);
      return { isCounted: success, remaining, resetMs: reset };
    },
    async giveBack(accountId, limit) {
      await limiterOf(limit).limit(accountId, { rate: -1 });
    },
  };
}
