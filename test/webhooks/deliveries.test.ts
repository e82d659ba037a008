import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/ground/platform/clock.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { eventSchema } from "../../src/records/media/media-events.ts";
import { findDelivery, listDeliveries } from "../../src/work/webhooks/delivery-history.service.ts";
import { disableEndpoint, rotateSecret } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { createAccount } from "../support/accounts.ts";
import { consume, endpointAt, pendingDeliveries, received, writeEvent } from "../support/webhooks.ts";
import {
  NOW,
  beginAfresh,
  bindings,
  config,
  once,
  oneDelivery,
  sweepAt,
  sent,
} from "../support/webhook-attempts.ts";

beginAfresh();

const encoder = new TextEncoder();

/** HMAC-SHA256 in lowercase hex. */
async function hmac(secret: string, body: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(body))));
}

/** The kinds of events that an inbox received, sorted. */
async function kinds(inbox: string): Promise<string[]> {
  return (await received(inbox)).map(({ headers }) => headers["x-service-event"] ?? "").sort();
}

/** How many bytes of its huge answers the receiver has sent. */
async function hugeBytesSent(): Promise<number> {
  return Number(await (await fetch(`${env.RECEIVER_URL}/huge-bytes`)).text());
}

test("an event arrives signed, with its headers, and is written down", async () => {
  const { accountId, inbox, secret, deliveryId, eventId, owned } = await oneDelivery("ok");
  expect(await once(deliveryId)).toEqual({ isAcknowledged: true, delaySeconds: undefined });
  const [request, ...others] = await received(inbox);
  expect(others).toEqual([]);
  const body = request?.body ?? "";
  expect(request).toMatchObject({
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Veil-Webhooks/1.0",
      "x-service-event": "media.processed",
      "x-service-delivery": deliveryId,
      "x-service-signature": `sha256=${await hmac(secret, body)}`,
      "x-request-id": "req_of_the_upload",
    },
  });
  const event = eventSchema.parse(JSON.parse(body));
  expect(event).toMatchObject({ id: eventId, event: "media.processed", status: "completed" });
  expect(await findDelivery(config, owned)).toMatchObject({
    status: "delivered",
    nextAttemptAt: null,
    requestBody: body,
    attempts: [
      {
        number: 1,
        outcome: "delivered",
        responseStatus: 200,
        responseBody: "ok",
        isResponseCut: false,
        requestHeaders: { "X-Service-Signature": request?.headers["x-service-signature"] },
        responseHeaders: { "content-type": "text/plain" },
      },
    ],
  });
  const { attempts } = await findDelivery(config, owned);
  expect(JSON.stringify(attempts)).not.toContain("session=of-the-receiver");
  expect(await listDeliveries(config, { accountId, limit: 10 })).toMatchObject({
    deliveries: [{ id: deliveryId, status: "delivered" }],
    next: undefined,
  });
});

test("an endpoint gets the kinds it wants, and each endpoint its own delivery", async () => {
  const { accountId } = await createAccount();
  const stranger = await createAccount();
  const all = await endpointAt(accountId, "ok");
  const failures = await endpointAt(accountId, "ok", { event_kinds: ["media.failed"] });
  const off = await endpointAt(accountId, "ok");
  await disableEndpoint(config, off);
  const others = await endpointAt(stranger.accountId, "ok");
  await writeEvent(accountId, "media.processed");
  await writeEvent(accountId, "media.failed");
  await writeEvent(accountId, "media.source_deleted");
  await consume(await pendingDeliveries(accountId), { bindings });
  expect(await kinds(all.inbox)).toEqual(["media.failed", "media.processed", "media.source_deleted"]);
  expect(await kinds(failures.inbox)).toEqual(["media.failed"]);
  expect(await kinds(off.inbox)).toEqual([]);
  expect(await kinds(others.inbox)).toEqual([]);
  const ids = (await received(all.inbox)).map(({ headers }) => headers["x-service-delivery"] ?? "");
  expect(new Set(ids).size).toBe(3);
  for (const id of ids)
    expect(id).toMatch(/^dlv_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

describe("a failed delivery", () => {
  test.for([
    ["status/500", { outcome: "refused_by_status", responseStatus: 500, responseBody: "status 500" }],
    ["status/404", { outcome: "refused_by_status", responseStatus: 404 }],
    ["hang-up", { outcome: "connection_failed", responseStatus: null }],
    ["half", { outcome: "connection_failed", responseStatus: 200 }],
  ] as const)("%s is tried again after about 5 s", async ([behaviour, attempt]) => {
    const { deliveryId, owned, inbox } = await oneDelivery(behaviour);
    const result = await once(deliveryId);
    expect(result?.isAcknowledged).toBe(true);
    // A delayed permit arrives one second after its delivery is due.
    expect(result?.delaySeconds).toBeGreaterThanOrEqual(5);
    expect(result?.delaySeconds).toBeLessThanOrEqual(7);
    const delivery = await findDelivery(config, owned);
    expect(delivery).toMatchObject({ status: "pending", failures: 1, attempts: [attempt] });
    expect(await received(inbox)).toHaveLength(1);
  });

  test.for(["never", "drip"])("%s is given up when its time is over", async (behaviour) => {
    const { deliveryId, owned } = await oneDelivery(behaviour);
    const impatient = { ...bindings, WEBHOOK_TIMEOUT_SECONDS: "1" };
    vi.useRealTimers();
    await consume([deliveryId], { bindings: impatient });
    const { attempts } = await findDelivery(config, owned);
    expect(attempts).toMatchObject([{ outcome: "timed_out" }]);
    expect(attempts[0]?.durationMs).toBeGreaterThanOrEqual(950);
    expect(attempts[0]?.durationMs).toBeLessThan(6_000);
  });

  test("a closed port is a failed connection", async () => {
    const { deliveryId, owned, endpointId } = await oneDelivery("ok");
    await env.DB.prepare("UPDATE webhook_endpoints SET url = 'http://127.0.0.1:1/' WHERE id = ?")
      .bind(endpointId)
      .run();
    await once(deliveryId);
    expect(await findDelivery(config, owned)).toMatchObject({ attempts: [{ outcome: "connection_failed" }] });
  });

  test.for([301, 302, 303, 307, 308])("a redirect by %i is not followed", async (status) => {
    const inward = crypto.randomUUID();
    const to = encodeURIComponent(`${env.RECEIVER_URL}/${inward}/ok`);
    const { deliveryId, owned } = await oneDelivery(`redirect/${status}?to=${to}`);
    await once(deliveryId);
    expect(await findDelivery(config, owned)).toMatchObject({
      status: "pending",
      attempts: [{ outcome: "refused_by_status", responseStatus: status }],
    });
    expect(await received(inward)).toEqual([]);
  });
});

test("the time-out is ten seconds unless configured otherwise", () => {
  expect(config.WEBHOOK_TIMEOUT_SECONDS).toBe(10);
});

test("of ten gigabytes only the beginning is read and kept, and a 2xx is a success", async () => {
  const { deliveryId, owned } = await oneDelivery("huge");
  await once(deliveryId);
  const { status, attempts } = await findDelivery(config, owned);
  expect(status).toBe("delivered");
  expect(attempts[0]?.responseBody).toBe("x".repeat(4096));
  expect(attempts[0]?.isResponseCut).toBe(true);
  expect(await hugeBytesSent()).toBeLessThan(200_000_000);
});

describe("the schedule", () => {
  const DELAYS = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

  test("waits longer after each failure and gives up after the ninth attempt", async () => {
    const { deliveryId, owned, inbox, eventId } = await oneDelivery("status/500");
    for (const delay of DELAYS) {
      const before = Date.now();
      const result = await once(deliveryId);
      const { nextAttemptAt } = await findDelivery(config, owned);
      const waitMs = (nextAttemptAt ?? 0) - before;
      expect([delay, waitMs]).toSatisfy(() => waitMs >= delay * 800 && waitMs <= delay * 1_200);
      expect(result?.delaySeconds).toBe(Math.ceil(waitMs / 1_000) + 1);
      vi.setSystemTime((nextAttemptAt ?? 0) - 1);
      // A permit does not attempt a delivery that is not due yet.
      expect(await once(deliveryId)).toEqual({ isAcknowledged: true, delaySeconds: undefined });
      vi.setSystemTime(nextAttemptAt ?? 0);
    }
    expect(await once(deliveryId)).toMatchObject({ isAcknowledged: true });
    const delivery = await findDelivery(config, owned);
    expect(delivery).toMatchObject({ status: "failed", failures: 9, nextAttemptAt: null });
    const requests = await received(inbox);
    expect(requests).toHaveLength(9);
    for (const { headers, body } of requests) {
      expect(headers["x-service-delivery"]).toBe(deliveryId);
      expect(JSON.parse(body)).toMatchObject({ id: eventId });
    }
    expect(await once(deliveryId)).toMatchObject({ isAcknowledged: true });
    expect(await received(inbox)).toHaveLength(9);
  });

  test("spreads what failed together", async () => {
    const waits = new Set<number>();
    for (let turn = 0; turn < 8; turn++) {
      const { deliveryId, owned } = await oneDelivery("status/500");
      await once(deliveryId);
      waits.add((await findDelivery(config, owned)).nextAttemptAt ?? 0);
    }
    expect(waits.size).toBeGreaterThan(4);
  });

  test.for([
    ["429", "120", 120],
    ["503", "7200", 7_200],
    ["503", new Date(NOW + HOUR_MS).toUTCString(), 3_600],
    ["429", "999999999", 86_400],
    ["429", "1", 4],
    ["429", "soon", 4],
    ["500", "7200", 4],
  ] as const)("a %s with Retry-After %s waits at least so long", async ([status, retryAfter, seconds]) => {
    const { deliveryId, owned } = await oneDelivery(
      `status/${status}?retry-after=${encodeURIComponent(retryAfter)}`,
    );
    const result = await once(deliveryId);
    const { nextAttemptAt } = await findDelivery(config, owned);
    const waitMs = (nextAttemptAt ?? 0) - NOW;
    expect(waitMs).toBeGreaterThanOrEqual(seconds * SECOND_MS);
    expect(waitMs).toBeLessThanOrEqual(Math.max(seconds, 6) * SECOND_MS);
    // A queue delays a message by at most twelve hours.
    expect(result?.delaySeconds).toBe(Math.min(43_200, Math.ceil(waitMs / SECOND_MS) + 1));
  });
});

test("during a rotation both secrets sign, the new one first; after 24 hours the new one alone", async () => {
  const { accountId } = await createAccount();
  const { inbox, secret: old, ...owned } = await endpointAt(accountId, "ok");
  const { secret } = await rotateSecret(config, owned);
  for (const at of [NOW + DAY_MS - 1, NOW + DAY_MS]) {
    vi.setSystemTime(at);
    await writeEvent(accountId);
    const [deliveryId = ""] = await pendingDeliveries(accountId);
    await once(deliveryId);
  }
  const [during, after] = await received(inbox);
  expect(during?.headers["x-service-signature"]).toBe(
    `sha256=${await hmac(secret, during?.body ?? "")},sha256=${await hmac(old, during?.body ?? "")}`,
  );
  expect(after?.headers["x-service-signature"]).toBe(`sha256=${await hmac(secret, after?.body ?? "")}`);
});

test("a second rotation keeps every secret whose 24 hours are not over", async () => {
  const { accountId } = await createAccount();
  const { inbox, secret: first, ...owned } = await endpointAt(accountId, "ok");
  const { secret: second } = await rotateSecret(config, owned);
  vi.setSystemTime(NOW + HOUR_MS);
  const { secret: third } = await rotateSecret(config, owned);
  const signing: [atMs: number, secrets: string[]][] = [
    [NOW + DAY_MS - 1, [third, second, first]],
    [NOW + DAY_MS, [third, second]],
    [NOW + DAY_MS + HOUR_MS, [third]],
  ];
  for (const [at] of signing) {
    vi.setSystemTime(at);
    await writeEvent(accountId);
    const [deliveryId = ""] = await pendingDeliveries(accountId);
    await once(deliveryId);
  }
  for (const [index, { headers, body }] of (await received(inbox)).entries()) {
    const signatures = (signing[index]?.[1] ?? []).map(
      async (secret) => `sha256=${await hmac(secret, body)}`,
    );
    expect(headers["x-service-signature"]).toBe((await Promise.all(signatures)).join(","));
  }
  expect(await received(inbox)).toHaveLength(3);
});

test("pages of deliveries follow one another without gap or double", async () => {
  const { accountId } = await createAccount();
  await endpointAt(accountId, "ok");
  for (let turn = 0; turn < 7; turn++) await writeEvent(accountId);
  const all = (await listDeliveries(config, { accountId, limit: 100 })).deliveries.map(({ id }) => id);
  const paged: string[] = [];
  let after: { createdAt: number; id: string } | undefined;
  do {
    const page = await listDeliveries(config, { accountId, limit: 3, after });
    paged.push(...page.deliveries.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  expect(paged).toEqual(all);
  expect(new Set(paged).size).toBe(7);
});

describe("messages", () => {
  test("that come twice at once are sent once", async () => {
    const { deliveryId, inbox } = await oneDelivery("ok");
    const results = await consume([deliveryId, deliveryId, deliveryId], { bindings });
    expect(await received(inbox)).toHaveLength(1);
    expect(results.every(({ isAcknowledged }) => isAcknowledged)).toBe(true);
    expect(await once(deliveryId)).toMatchObject({ isAcknowledged: true });
    expect(await received(inbox)).toHaveLength(1);
  });

  test("that were lost are sent again by the sweeper, each time after a longer delay", async () => {
    const { deliveryId } = await oneDelivery("ok");
    const ofThis = (): number => sent.filter((job) => job.deliveryId === deliveryId).length;
    await sweepAt(NOW + 29 * SECOND_MS);
    expect(ofThis()).toBe(0);
    await sweepAt(NOW + 31 * SECOND_MS);
    await sweepAt(NOW + 32 * SECOND_MS);
    expect(ofThis()).toBe(1);
    await sweepAt(NOW + 62 * SECOND_MS);
    expect(ofThis()).toBe(2);
    expect(sent.find((job) => job.deliveryId === deliveryId)?.requestId).toBe("req_of_the_upload");
  });

  test("that cannot be read are recorded and not repeated", async () => {
    const [result] = await consume([{ nonsense: true } as never], { bindings });
    expect(result).toMatchObject({ isAcknowledged: true });
    const letter = await env.DB.prepare(
      "SELECT queue, reason, body FROM dead_letters ORDER BY recorded_at DESC",
    ).first();
    expect(letter).toEqual({ queue: "webhooks", reason: "unreadable", body: '{"nonsense":true}' });
  });

  test("of the dead-letter queue are recorded", async () => {
    const [result] = await consume(["dlv_dead"], { bindings, queue: "veil-webhooks-dead" });
    expect(result).toMatchObject({ isAcknowledged: true });
    const letter = await env.DB.prepare(
      "SELECT body FROM dead_letters WHERE queue = 'webhooks' AND reason = 'retries_spent'",
    ).first();
    expect(letter).toEqual({ body: '{"deliveryId":"dlv_dead","requestId":"req_test"}' });
  });
});

test("an undecryptable secret sends nothing and loses nothing", async () => {
  const { deliveryId, inbox, owned } = await oneDelivery("ok");
  const other = { ...bindings, WEBHOOK_SECRET_KEYS: btoa("y".repeat(32)) };
  const [result] = await consume([deliveryId], { bindings: other });
  expect(result).toMatchObject({ isAcknowledged: true });
  expect(await received(inbox)).toEqual([]);
  await sweepAt(NOW + MINUTE_MS);
  await once(deliveryId);
  expect(await findDelivery(config, owned)).toMatchObject({ status: "delivered" });
});
