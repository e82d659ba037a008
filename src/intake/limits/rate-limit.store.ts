import { Ratelimit, type Algorithm } from "@upstash/ratelimit";
import type { Redis } from "@upstash/redis/cloudflare";
import { MINUTE_MS, nowMs } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import type { RateLimiter } from "./rate-limit.durable-object.ts";

const PREFIX = "veil:rate";

type RegionAlgorithm = ConstructorParameters<typeof Ratelimit>[0]["limiter"];
type RegionContext = RegionAlgorithm extends Algorithm<infer Context> ? Context : never;

/** Start of the one-minute window that contains `timeMs`. Windows start at whole minutes of Unix time. */
export function windowStartMs(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

/**
 * A limiter of `limit` requests per minute. It counts in Upstash Redis if that is configured, or else in one Durable Object per account,
 * both through the same library.
 */
export async function createRateLimiter(config: ApiEnv, limit: number): Promise<Ratelimit> {
  const options = { prefix: PREFIX, timeout: config.RATE_LIMIT_TIMEOUT_MS, ephemeralCache: false as const };
  if (config.UPSTASH_REDIS_REST_URL !== undefined) {
    // Loaded only if it is used, so that the API starts without it.
    const { Redis } = await import("@upstash/redis/cloudflare");
    const redis = new Redis({
      url: config.UPSTASH_REDIS_REST_URL,
      token: config.UPSTASH_REDIS_REST_TOKEN ?? "",
      retry: { retries: 1, backoff: () => 50 },
      enableTelemetry: false,
    });
    return new Ratelimit({ ...options, redis, limiter: Ratelimit.fixedWindow(limit, "1 m") });
  }
  const namespace = config.RATE_LIMITER as DurableObjectNamespace<RateLimiter>;
  return new Ratelimit({
    ...options,
    // The library requires a client even if its algorithm stores the counts elsewhere.
    redis: {} as Redis,
    limiter: durableObjectWindow(namespace, limit),
  });
}

/** The most IDs that are remembered. An isolate serves few accounts, and a forgotten ID only costs a hash. */
const MOST_IDS = 1_000;
const ids = new WeakMap<DurableObjectNamespace<RateLimiter>, Map<string, DurableObjectId>>();

/** The ID of an account's object, which is a hash of the name. */
function idOf(namespace: DurableObjectNamespace<RateLimiter>, identifier: string): DurableObjectId {
  let known = ids.get(namespace);
  if (known === undefined) ids.set(namespace, (known = new Map<string, DurableObjectId>()));
  let id = known.get(identifier);
  if (id === undefined) {
    if (known.size >= MOST_IDS) known.clear();
    known.set(identifier, (id = namespace.idFromName(identifier)));
  }
  return id;
}

function durableObjectWindow(
  namespace: DurableObjectNamespace<RateLimiter>,
  limit: number,
): Algorithm<RegionContext> {
  const counterOf = (identifier: string) => namespace.get(idOf(namespace, identifier));
  return () => ({
    async limit(_context, identifier, rate = 1) {
      const startMs = windowStartMs(nowMs());
      const counter = counterOf(identifier);
      const hit = rate < 0 ? await counter.giveBack(startMs, -rate) : await counter.hit(startMs, limit);
      return {
        success: hit.counted,
        limit,
        remaining: Math.max(0, limit - hit.count),
        reset: startMs + MINUTE_MS,
        pending: Promise.resolve(),
      };
    },
    async getRemaining(_context, identifier) {
      const startMs = windowStartMs(nowMs());
      const count = await counterOf(identifier).count(startMs);
      return { remaining: Math.max(0, limit - count), reset: startMs + MINUTE_MS, limit };
    },
    async resetTokens(_context, identifier) {
      await counterOf(identifier).forget();
    },
  });
}
