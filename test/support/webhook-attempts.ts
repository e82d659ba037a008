import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { createAccount } from "./accounts.ts";
import { consume, endpointAt, pendingDeliveries, writeEvent } from "./webhooks.ts";

/** The simulated time at which each test begins. */
export const NOW = Date.UTC(2026, 5, 1);
/** The permits that were sent. They are not queued. */
export const sent: { deliveryId: string; requestId: string }[] = [];
const WEBHOOK_JOBS = {
  send: async () => {
    await Promise.resolve();
  },
  sendBatch: async (messages: { body: { deliveryId: string; requestId: string } }[]) => {
    sent.push(...messages.map(({ body }) => body));
    await Promise.resolve();
  },
};
export const bindings = { ...env, WEBHOOK_JOBS };
export const config = parseApiEnv(bindings);

/** Lets each test begin at `NOW`, without sent permits or pending deliveries. */
export function beginAfresh(): void {
  beforeEach(async () => {
    sent.length = 0;
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    // A permit is valid for any delivery, so none of another test may remain.
    await env.DB.exec("DELETE FROM events");
  });

  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Runs the sweeper at a time. */
export async function sweepAt(timeMs: number): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(config);
}

/** Creates one event for a new account's endpoint with this behavior. Returns the ID of its delivery. */
export async function oneDelivery(behaviour: string) {
  const { accountId } = await createAccount();
  const endpoint = await endpointAt(accountId, behaviour);
  const eventId = await writeEvent(accountId);
  const [deliveryId = ""] = await pendingDeliveries(accountId);
  return { ...endpoint, eventId, deliveryId, owned: { accountId, deliveryId } };
}

/** Attempts a delivery. Returns how its permit ended. */
export async function once(deliveryId: string) {
  const [result] = await consume([deliveryId], { bindings });
  return result;
}
