import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SECOND_MS } from "../../src/ground/platform/clock.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { eventSchema } from "../../src/records/media/media-events.ts";
import { signatureHeader } from "../../src/work/webhooks/secrets.ts";
import type { WebhookJob } from "../../src/records/events/delivery-permits.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { consume, endpointAt, pendingDeliveries, received, writeEvent } from "../support/webhooks.ts";

const NOW = Date.UTC(2026, 5, 1);
const EVENTS = 200;
const BATCH = 5;
/** Slightly more than the storage calls of a batch, so that not every consumer dies. */
const CALLS_A_BATCH = 14;
const MAX_STEP_MS = 20 * SECOND_MS;

let queue: WebhookJob[];
let seed: number;

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

beforeEach(() => {
  queue = [];
  seed = 20_260_601;
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

const WEBHOOK_JOBS = {
  send: async () => {
    await Promise.resolve();
  },
  sendBatch: async (messages: { body: WebhookJob }[]) => {
    queue.push(...messages.map(({ body }) => body));
    await Promise.resolve();
  },
};

/** Takes a batch from the queue. Its consumer may be killed between any two storage calls, together with its messages. */
async function takeBatch(): Promise<void> {
  const jobs = queue.splice(0, BATCH);
  const diesAt = 1 + Math.floor(random() * CALLS_A_BATCH);
  const when = random() < 0.5 ? "before" : "after";
  const killed = faultyBindings(
    env,
    (call) => (call >= diesAt ? new Error("The consumer was killed.") : undefined),
    when,
  );
  const results = await consume(jobs, { bindings: { ...killed.bindings, WEBHOOK_JOBS } });
  // A killed consumer has acknowledged nothing, so some messages arrive again and some are lost.
  const isKilled = killed.calls() >= diesAt;
  for (const [index, job] of jobs.entries()) {
    const comesAgain = isKilled ? random() < 0.5 : results[index]?.isAcknowledged === false;
    if (comesAgain) queue.push(job);
  }
}

test("with consumers killed at random every event arrives at least once, signed", async () => {
  const { accountId } = await createAccount();
  const { inbox, secret } = await endpointAt(accountId, "sequence/200,500,200,200,503,200");
  const eventIds: string[] = [];
  for (let written = 0; written < EVENTS; written++) eventIds.push(await writeEvent(accountId));
  for (let turns = 0; (await pendingDeliveries(accountId)).length > 0; turns++) {
    expect(turns).toBeLessThan(500);
    vi.setSystemTime(Date.now() + Math.floor(random() * MAX_STEP_MS));
    await sweep(parseApiEnv({ ...env, WEBHOOK_JOBS }));
    for (let batches = Math.ceil(queue.length / BATCH); batches > 0; batches--) await takeBatch();
  }
  const requests = await received(inbox);
  const arrived = new Set<string>();
  for (const { body, headers } of requests) {
    expect(headers["x-service-signature"]).toBe(
      await signatureHeader([secret], new TextEncoder().encode(body)),
    );
    arrived.add(eventSchema.parse(JSON.parse(body)).id);
  }
  expect(arrived).toEqual(new Set(eventIds));
  const outcomes = await env.DB.prepare(
    "SELECT status, count(*) AS total FROM webhook_deliveries WHERE account_id = ? GROUP BY status",
  )
    .bind(accountId)
    .all();
  expect(outcomes.results).toEqual([{ status: "delivered", total: EVENTS }]);
});
