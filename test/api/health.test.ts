import { env, exports } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { checkHealth } from "../../src/entries/health.service.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { ORIGIN } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function configOf(bindings: object) {
  return parseApiEnv({ ...env, ...bindings });
}

test("GET /healthz looks through every binding and needs no key", async () => {
  const response = await exports.default.fetch(new Request(`${ORIGIN}/healthz`));
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const ok = { status: "ok", duration_ms: expect.any(Number) as number };
  expect(await response.json()).toEqual({
    status: "ok",
    checks: { database: ok, objects: ok, rate_limiter: ok },
  });
});

test("a binding that fails is named, without its words", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { bindings } = faultyBindings(env, () => new Error("D1_ERROR: a-secret-of-the-database"));
  const health = await checkHealth(configOf(bindings));
  expect(health).toMatchObject({
    status: "failing",
    checks: {
      database: { status: "failing" },
      objects: { status: "failing" },
      rate_limiter: { status: "ok" },
    },
  });
  expect(JSON.stringify(health)).not.toContain("secret");
});

test("a database without tables is named as such, and the answer is 503", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await env.DB.prepare("ALTER TABLE media RENAME TO media_elsewhere").run();
  const health = await checkHealth(configOf({}));
  expect(health).toMatchObject({ status: "failing", checks: { database: { status: "not_migrated" } } });
  await env.DB.prepare("ALTER TABLE media_elsewhere RENAME TO media").run();
});

test("a database that lacks the newest migration is named as such", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await env.DB.prepare("UPDATE d1_migrations SET name = 'older ' || name").run();
  expect(await checkHealth(configOf({}))).toMatchObject({ checks: { database: { status: "not_migrated" } } });
  await env.DB.prepare("UPDATE d1_migrations SET name = substr(name, 7)").run();
  expect(await checkHealth(configOf({}))).toMatchObject({ checks: { database: { status: "ok" } } });
});

test("a binding that never answers is given up", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const MEDIA = {
      ...env.MEDIA,
      put: () => undefined,
      head: async () => await new Promise(() => undefined),
    };
    const health = checkHealth(configOf({ MEDIA }));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await health).toMatchObject({ status: "failing", checks: { objects: { status: "timed_out" } } });
  } finally {
    vi.useRealTimers();
  }
});

test("asking again at once asks no binding again", async () => {
  const { bindings, calls } = faultyBindings(env, () => undefined);
  const config = configOf(bindings);
  await checkHealth(config);
  const first = calls();
  expect(first).toBeGreaterThan(0);
  await Promise.all(Array.from({ length: 50 }, async () => await checkHealth(config)));
  expect(calls()).toBe(first);
});
