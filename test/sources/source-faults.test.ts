import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { app } from "../../src/entries/api.app.ts";
import { HOUR_MS } from "../../src/ground/platform/clock.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { BASE, callWith } from "../support/api.ts";
import { faultyBindings, type FaultPlan } from "../support/faulty-bindings.ts";
import { storedOf } from "../support/leftovers.ts";

const NOW = Date.UTC(2026, 6, 1);
/** A request that does not wait for the unanswered call responds within this time. */
const DEAD_MS = 1_500;
const BODY = JSON.stringify({ source_url: `${env.SOURCE_SERVER_URL}/image/a.png`, categories: ["heads"] });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

function requestOf({ apiKey }: TestAccount): RequestInit & { apiKey: string } {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    "Content-Type": "application/json",
    "Idempotency-Key": "k",
  };
  return { method: "POST", apiKey, headers, body: BODY };
}

/** Uploads by URL while storage fails as planned. Undefined if the Worker has died. */
async function attempt(
  account: TestAccount,
  plan: FaultPlan,
  when: "before" | "after",
): Promise<{ status: number | undefined; calls: number }> {
  vi.setSystemTime(NOW);
  const { promise: isStuck, resolve: stick } = Promise.withResolvers<void>();
  const noted: FaultPlan = async (count) => {
    const fault = await plan(count);
    if (fault === "unanswered") stick();
    return fault;
  };
  const faulty = faultyBindings(env, noted, when);
  // Nothing waits for a dead Worker.
  const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };
  const request = new Request(`${BASE}/media/redact`, requestOf(account));
  const answer = Promise.resolve(app.fetch(request, { ...env, ...faulty.bindings }, context));
  const died = isStuck.then(async () => {
    await new Promise((resolve) => setTimeout(resolve, DEAD_MS));
    return undefined;
  });
  const response = await Promise.race([answer, died]);
  return { status: response?.status, calls: faulty.calls() };
}

/** Expects that two hours later one media item is queued or nothing is left, and that the client's retry results in exactly one. */
async function expectWholeOrNothing(account: TestAccount, isAccepted: boolean): Promise<void> {
  vi.setSystemTime(NOW + 2 * HOUR_MS);
  await sweep(parseApiEnv({ ...env }));
  const { media, objects, purges } = await storedOf(account.accountId);
  expect([media, objects, purges]).toEqual(isAccepted || media === 1 ? [1, 1, 0] : [0, 0, 0]);
  const retry = await callWith({}, "/media/redact", requestOf(account));
  expect(retry.status).toBe(201);
  expect(await storedOf(account.accountId)).toMatchObject({ media: 1, objects: 1, purges: 0 });
}

test.for([
  ["the call fails", "before", new Error("Storage failed.")],
  ["the answer is lost", "after", new Error("Storage failed.")],
  ["the Worker dies before it", "before", "unanswered"],
  ["the Worker dies after it", "after", "unanswered"],
] as const)("at any call of storage %s: queued once or nothing left", async ([, when, fault]) => {
  const { calls } = await attempt(await createAccount(), () => undefined, "before");
  expect(calls).toBeGreaterThan(5);
  for (let failing = 1; failing <= calls; failing++) {
    const account = await createAccount();
    const { status } = await attempt(account, (count) => (count === failing ? fault : undefined), when);
    expect([201, 500, undefined]).toContain(status);
    await expectWholeOrNothing(account, status === 201);
  }
});
