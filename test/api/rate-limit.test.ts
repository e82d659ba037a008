import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RateLimiter } from "../../src/intake/limits/rate-limit.durable-object.ts";
import { createAccount, createKey, revokeKey } from "../support/accounts.ts";
import { call, callWith, errorOf } from "../support/api.ts";
import { BROKEN_STORE_URL, SLOW_STORE_URL } from "../support/outside.ts";

const WINDOW_START = Date.UTC(2026, 2, 1, 10, 30);
const WINDOW_END_SECONDS = WINDOW_START / 1000 + 60;

const redis = { UPSTASH_REDIS_REST_URL: env.REDIS_URL, UPSTASH_REDIS_REST_TOKEN: env.REDIS_TOKEN };
const stores = [
  { name: "a Durable Object", replaced: {}, isThere: true },
  { name: "Upstash Redis", replaced: redis, isThere: env.REDIS_URL !== "" },
];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: WINDOW_START + 12_345 });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function headersOf(response: Response): (number | null)[] {
  return ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"].map((name) => {
    const value = response.headers.get(name);
    return value === null ? null : Number(value);
  });
}

describe.for(stores)("the limiter over $name", ({ replaced, isThere }) => {
  const get = async (apiKey: string, path = "/usage"): Promise<Response> =>
    await callWith(replaced, path, { apiKey });

  test.runIf(isThere)("counts down to zero, then answers 429 with what to wait for", async () => {
    const { apiKey } = await createAccount({ requestsPerMinute: 3 });
    for (const remaining of [2, 1, 0]) {
      const response = await get(apiKey);
      expect(response.status).toBe(200);
      expect(headersOf(response)).toEqual([3, remaining, WINDOW_END_SECONDS]);
      expect(response.headers.has("Retry-After")).toBe(false);
    }
    for (let turn = 0; turn < 2; turn++) {
      const refused = await get(apiKey);
      expect(refused.status).toBe(429);
      expect(headersOf(refused)).toEqual([3, 0, WINDOW_END_SECONDS]);
      expect(refused.headers.get("Retry-After")).toBe("48");
      expect(await errorOf(refused)).toMatchObject({
        code: "rate_limit_exceeded",
        details: { limit: 3, reset: WINDOW_END_SECONDS },
      });
    }
  });

  test.runIf(isThere)("gives back what it counted of a key that was revoked meanwhile", async () => {
    const { apiKey, accountId } = await createAccount({ requestsPerMinute: 5 });
    const revoked = await createKey(accountId);
    expect(headersOf(await get(revoked.apiKey))).toEqual([5, 4, WINDOW_END_SECONDS]);
    await revokeKey(revoked.keyId);
    for (let turn = 0; turn < 3; turn++) expect((await get(revoked.apiKey)).status).toBe(401);
    expect(headersOf(await get(apiKey))).toEqual([5, 3, WINDOW_END_SECONDS]);
  });

  test.runIf(isThere)("judges by a limit that was changed since the last request", async () => {
    const { apiKey, accountId } = await createAccount({ requestsPerMinute: 5 });
    expect((await get(apiKey)).status).toBe(200);
    await env.DB.prepare("UPDATE accounts SET requests_per_minute = 1 WHERE id = ?").bind(accountId).run();
    expect((await get(apiKey)).status).toBe(429);
  });

  test.runIf(isThere)("begins anew with the next minute", async () => {
    const { apiKey } = await createAccount({ requestsPerMinute: 1 });
    vi.setSystemTime(WINDOW_START + 59_999);
    expect((await get(apiKey)).status).toBe(200);
    const refused = await get(apiKey);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "1"]);
    vi.setSystemTime(WINDOW_START + 60_000);
    const next = await get(apiKey);
    expect(next.status).toBe(200);
    expect(headersOf(next)).toEqual([1, 0, WINDOW_END_SECONDS + 60]);
    expect((await get(apiKey)).status).toBe(429);
  });

  test.runIf(isThere)("counts all keys of an account together, and accounts apart", async () => {
    const { apiKey, accountId } = await createAccount({ requestsPerMinute: 2 });
    const other = await createKey(accountId);
    const stranger = await createAccount({ requestsPerMinute: 2 });
    expect((await get(apiKey)).status).toBe(200);
    expect((await get(other.apiKey)).status).toBe(200);
    expect((await get(apiKey)).status).toBe(429);
    expect((await get(other.apiKey)).status).toBe(429);
    expect(headersOf(await get(stranger.apiKey))).toEqual([2, 1, WINDOW_END_SECONDS]);
  });

  test.runIf(isThere)("admits exactly the limit of 50 clients at once", async () => {
    const { apiKey } = await createAccount({ requestsPerMinute: 20 });
    const responses = await Promise.all(Array.from({ length: 50 }, async () => await get(apiKey)));
    const admitted = responses.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(20);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(30);
    const remaining = admitted
      .map((response) => headersOf(response)[1])
      .sort((a, b) => Number(a) - Number(b));
    expect(remaining).toEqual(Array.from({ length: 20 }, (_unused, index) => index));
  });

  test.runIf(isThere)("puts its headers on every authenticated answer", async () => {
    const { apiKey } = await createAccount({ requestsPerMinute: 10 });
    for (const [index, path] of ["/media", "/media?page=0", "/media/none", "/none", "/usage"].entries()) {
      expect(headersOf(await get(apiKey, path))).toEqual([10, 9 - index, WINDOW_END_SECONDS]);
    }
  });
});

describe("the Durable Object", () => {
  const start = WINDOW_START;

  test("counts first hits that overlap, once each", async () => {
    for (let round = 0; round < 20; round++) {
      const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
      const hits = await Promise.all(Array.from({ length: 20 }, async () => await stub.hit(start, 10)));
      expect(hits.filter(({ counted }) => counted)).toHaveLength(10);
      expect(await stub.count(start)).toBe(10);
    }
  });

  test("knows its count again after it was evicted", async () => {
    const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
    for (let turn = 0; turn < 3; turn++) await stub.hit(start, 10);
    const kept = async () =>
      await runInDurableObject(
        stub,
        async (_running, state) => await state.storage.get<{ count: number }>("window"),
      );
    await expect.poll(kept).toMatchObject({ count: 3 });
    await runInDurableObject(stub, async (_running, state) => {
      const next = new RateLimiter(state, env);
      expect(await next.hit(start, 4)).toEqual({ counted: true, count: 4 });
      expect(await next.hit(start, 4)).toEqual({ counted: false, count: 4 });
    });
  });

  test("lets a caller whose clock lags join the newer window", async () => {
    const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
    await stub.hit(start, 2);
    expect(await stub.hit(start + 60_000, 2)).toEqual({ counted: true, count: 1 });
    expect(await stub.hit(start, 2)).toEqual({ counted: true, count: 2 });
    expect(await stub.hit(start, 2)).toEqual({ counted: false, count: 2 });
  });
});

describe("a store that cannot be used lets requests through, with sane headers and a logged fault", () => {
  const failing = {
    idFromName: () => ({}),
    get: () => ({ hit: async () => await Promise.reject(new Error("The object is gone.")) }),
  };
  const stuck = {
    idFromName: () => ({}),
    get: () => ({ hit: async () => await new Promise(() => undefined) }),
  };
  const RATE_LIMIT_TIMEOUT_MS = "100";

  test.for<[string, object]>([
    ["a Durable Object that fails", { RATE_LIMITER: failing }],
    ["a Durable Object that hangs", { RATE_LIMITER: stuck, RATE_LIMIT_TIMEOUT_MS }],
    ["a Redis that answers nonsense", { ...redis, UPSTASH_REDIS_REST_URL: BROKEN_STORE_URL }],
    ["a Redis that is slow", { ...redis, UPSTASH_REDIS_REST_URL: SLOW_STORE_URL, RATE_LIMIT_TIMEOUT_MS }],
    ["a Redis that is not there", { ...redis, UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1" }],
  ])("%s", async ([, replaced]) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { apiKey } = await createAccount({ requestsPerMinute: 5 });
    const response = await callWith(replaced, "/usage", { apiKey });
    expect(response.status).toBe(200);
    expect(headersOf(response)).toEqual([5, 4, WINDOW_END_SECONDS]);
    expect(logged.mock.calls.flat().join("\n")).toContain('"event":"rate_limit.unavailable"');
  });
});

test.for([
  ["Free", 60],
  ["Starter", 120],
  ["Pro", 300],
  ["Scale", 1000],
] as const)("the plan %s allows %d requests a minute", async ([plan, limit]) => {
  const { apiKey } = await createAccount({ plan });
  expect(headersOf(await call("/usage", { apiKey }))).toEqual([limit, limit - 1, WINDOW_END_SECONDS]);
});

test("an account without a limit gets no headers, one with its own gets that", async () => {
  const unlimited = await createAccount({ plan: "Enterprise" });
  expect(headersOf(await call("/usage", unlimited))).toEqual([null, null, null]);
  const own = await createAccount({ plan: "Enterprise", requestsPerMinute: 7 });
  expect(headersOf(await call("/usage", own))).toEqual([7, 6, WINDOW_END_SECONDS]);
});
