import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { eventSchema } from "../../src/records/media/media-events.ts";
import {
  findDelivery,
  listDeliveries,
  resendDelivery,
} from "../../src/work/webhooks/delivery-history.service.ts";
import { sendTestEvent } from "../../src/work/webhooks/test-event.service.ts";
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
} from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { createAccount } from "../support/accounts.ts";
import { endpointAt, pendingDeliveries, received, writeEvent } from "../support/webhooks.ts";
import { NOW, beginAfresh, config, once, oneDelivery, sent } from "../support/webhook-attempts.ts";

beginAfresh();

describe("an endpoint is switched off", () => {
  test("by a 410 at once, and its pending deliveries fail", async () => {
    const { accountId, endpointId, deliveryId } = await oneDelivery("status/410");
    await writeEvent(accountId);
    expect(await once(deliveryId)).toMatchObject({ isAcknowledged: true });
    expect(await findEndpoint(config, { accountId, endpointId })).toMatchObject({
      disabledAt: NOW,
      disabledReason: "gone",
    });
    const { deliveries } = await listDeliveries(config, { accountId, limit: 10 });
    expect(deliveries.map(({ status }) => status)).toEqual(["failed", "failed"]);
    await writeEvent(accountId);
    expect(await pendingDeliveries(accountId)).toEqual([]);
  });

  test("by five days of nothing but failures, not a moment sooner", async () => {
    const { accountId, endpointId, deliveryId, owned } = await oneDelivery("status/500");
    await once(deliveryId);
    const endpoint = { accountId, endpointId };
    expect(await findEndpoint(config, endpoint)).toMatchObject({ failingSince: NOW, disabledAt: null });
    vi.setSystemTime(NOW + 5 * DAY_MS - 1);
    await once(deliveryId);
    expect(await findEndpoint(config, endpoint)).toMatchObject({ disabledAt: null });
    vi.setSystemTime(NOW + 5 * DAY_MS + 2 * MINUTE_MS);
    await once(deliveryId);
    expect(await findEndpoint(config, endpoint)).toMatchObject({
      disabledAt: NOW + 5 * DAY_MS + 2 * MINUTE_MS,
      disabledReason: "failing",
    });
    expect(await findDelivery(config, owned)).toMatchObject({ status: "failed" });
    expect(await enableEndpoint(config, endpoint)).toMatchObject({ failingSince: null, disabledAt: null });
  });

  test("unless one attempt went well in between", async () => {
    const { accountId, endpointId, deliveryId } = await oneDelivery("sequence/500,200,500");
    await once(deliveryId);
    vi.setSystemTime(NOW + MINUTE_MS);
    await once(deliveryId);
    expect(await findEndpoint(config, { accountId, endpointId })).toMatchObject({ failingSince: null });
    vi.setSystemTime(NOW + 5 * DAY_MS);
    await writeEvent(accountId);
    const [next = ""] = await pendingDeliveries(accountId);
    await once(next);
    expect(await findEndpoint(config, { accountId, endpointId })).toMatchObject({
      disabledAt: null,
      failingSince: NOW + 5 * DAY_MS,
    });
  });
});

describe("by hand", () => {
  test("a delivery is sent once more, as another delivery of the same event", async () => {
    const { deliveryId, owned, inbox, eventId, accountId } = await oneDelivery("ok");
    await once(deliveryId);
    const resent = await resendDelivery(config, owned, "req_by_hand");
    expect(sent).toEqual([{ deliveryId: resent, requestId: "req_by_hand" }]);
    await once(resent);
    const requests = await received(inbox);
    expect(requests.map(({ headers }) => headers["x-service-delivery"])).toEqual([deliveryId, resent]);
    expect(requests[1]?.body).toBe(requests[0]?.body);
    expect(await findDelivery(config, { accountId, deliveryId: resent })).toMatchObject({
      origin: "resend",
      eventId,
      status: "delivered",
    });
  });

  test("not to an endpoint that is off, and not for another account", async () => {
    const { deliveryId, owned, accountId, endpointId } = await oneDelivery("ok");
    const stranger = await createAccount();
    const stolen = { accountId: stranger.accountId, deliveryId };
    await expect(resendDelivery(config, stolen, "req_x")).rejects.toMatchObject({ code: "not_found" });
    await expect(findDelivery(config, stolen)).rejects.toMatchObject({ code: "not_found" });
    expect(
      await listDeliveries(config, { accountId: stranger.accountId, endpointId, limit: 9 }),
    ).toMatchObject({
      deliveries: [],
    });
    const stolenEndpoint = { accountId: stranger.accountId, endpointId };
    const order = { kind: "media.failed", requestId: "req_x", origin: "https://veil.test" } as const;
    await expect(sendTestEvent(config, stolenEndpoint, order)).rejects.toMatchObject({ code: "not_found" });
    await disableEndpoint(config, { accountId, endpointId });
    await expect(resendDelivery(config, owned, "req_x")).rejects.toMatchObject({ code: "conflict" });
    await expect(sendTestEvent(config, { accountId, endpointId }, order)).rejects.toMatchObject({
      code: "conflict",
    });
    expect(sent).toEqual([]);
  });

  test.for(["media.processed", "media.failed", "media.source_deleted"] as const)(
    "a test of %s goes to its endpoint alone, whatever kinds that wants",
    async (kind) => {
      const { accountId } = await createAccount();
      const tested = await endpointAt(accountId, "ok", { event_kinds: ["media.failed"] });
      const other = await endpointAt(accountId, "ok");
      const order = { kind, requestId: "req_test", origin: "https://veil.test" };
      const deliveryId = await sendTestEvent(config, tested, order);
      expect(await pendingDeliveries(accountId)).toEqual([deliveryId]);
      await once(deliveryId);
      const [request] = await received(tested.inbox);
      expect(eventSchema.parse(JSON.parse(request?.body ?? ""))).toMatchObject({
        event: kind,
        media: { filename: "webhook-test.jpg" },
      });
      expect(await received(other.inbox)).toEqual([]);
      expect(await findDelivery(config, { accountId, deliveryId })).toMatchObject({ origin: "test" });
    },
  );

  test("a test that fails is not repeated", async () => {
    const { accountId } = await createAccount();
    const endpoint = await endpointAt(accountId, "status/500");
    const order = { kind: "media.failed", requestId: "req_test", origin: "https://veil.test" } as const;
    const deliveryId = await sendTestEvent(config, endpoint, order);
    expect(await once(deliveryId)).toMatchObject({ isAcknowledged: true });
    expect(await findDelivery(config, { accountId, deliveryId })).toMatchObject({ status: "failed" });
  });
});

test("a deleted endpoint takes its deliveries along, and late messages do nothing", async () => {
  const { accountId, endpointId, deliveryId, inbox } = await oneDelivery("ok");
  await deleteEndpoint(config, { accountId, endpointId });
  expect(await once(deliveryId)).toMatchObject({ isAcknowledged: true });
  expect(await received(inbox)).toEqual([]);
  const left = await env.DB.prepare("SELECT count(*) AS total FROM webhook_deliveries WHERE id = ?")
    .bind(deliveryId)
    .first<{ total: number }>();
  expect(left?.total).toBe(0);
});
