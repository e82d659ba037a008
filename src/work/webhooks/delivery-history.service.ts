import { sendPermits } from "../../ground/platform/permits.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { newId } from "../../ground/platform/ids.ts";
import {
  findDeliveryRecord,
  insertResend,
  listDeliveryRecords,
  type AttemptRow,
  type DeliveryCursor,
  type DeliveryOwnership,
  type DeliveryRecord,
} from "../../records/events/webhook-deliveries.repository.ts";
import { endpointDisabled, noSuchDelivery } from "./webhooks.errors.ts";
import type { DeliveryOrigin, DeliveryStatus } from "../../records/events/webhooks.table.ts";
import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";

/** A delivery as its owner sees it. Times are in milliseconds. */
export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly endpointUrl: string;
  readonly eventId: string;
  readonly eventKind: EventKind;
  readonly mediaId: string;
  readonly origin: DeliveryOrigin;
  readonly status: DeliveryStatus;
  readonly createdAt: number;
  readonly settledAt: number | null;
  /** When the next attempt is due; null once there is none. */
  readonly nextAttemptAt: number | null;
  readonly failures: number;
}

/** A delivery with the body that is sent and all its attempts, in order. */
export interface WebhookDeliveryDetails extends WebhookDelivery {
  readonly requestBody: string;
  readonly attempts: readonly Omit<AttemptRow, "deliveryId" | "accountId">[];
}

type DeliveryEnv = Pick<ApiEnv, "DB" | "WEBHOOK_JOBS">;

/** A page of an account's deliveries, newest first. Pass `next` as `after` to get the next page. */
export async function listDeliveries(
  config: DeliveryEnv,
  filter: {
    readonly accountId: string;
    readonly endpointId?: string | undefined;
    readonly status?: DeliveryStatus | undefined;
    readonly after?: DeliveryCursor | undefined;
    readonly limit: number;
  },
): Promise<{ deliveries: WebhookDelivery[]; next: DeliveryCursor | undefined }> {
  const { limit } = filter;
  const found = await listDeliveryRecords(openDatabase(config.DB, "primary"), {
    ...filter,
    limit: limit + 1,
  });
  const page = found.slice(0, limit).map(shownDelivery);
  return { deliveries: page, next: found.length > limit ? page.at(-1) : undefined };
}

/** One delivery with its attempts. @throws VeilError 404 if the account has no such delivery */
export async function findDelivery(
  config: DeliveryEnv,
  owned: DeliveryOwnership,
): Promise<WebhookDeliveryDetails> {
  const found = await findDeliveryRecord(openDatabase(config.DB, "primary"), owned);
  if (found === undefined) throw noSuchDelivery();
  return {
    ...shownDelivery(found.record),
    requestBody: found.record.event.payload,
    attempts: found.attempts.map(({ deliveryId: _delivery, accountId: _account, ...attempt }) => attempt),
  };
}

/**
 * Sends a delivery's event to its endpoint again, as a new delivery of the same event, whatever the outcome of the first.
 *
 * @returns the ID of the new delivery
 * @throws VeilError 404 if the account has no such delivery, 409 if its endpoint is disabled
 */
export async function resendDelivery(
  config: DeliveryEnv,
  owned: DeliveryOwnership,
  requestId: string,
): Promise<string> {
  const database = openDatabase(config.DB, "primary");
  if ((await findDeliveryRecord(database, owned)) === undefined) throw noSuchDelivery();
  const id = newId("webhookDelivery");
  if (!(await insertResend(database, owned, { id, createdAt: nowMs() }))) throw endpointDisabled();
  await sendPermits(config.WEBHOOK_JOBS, [{ deliveryId: id, requestId }]);
  return id;
}

function shownDelivery({ delivery, event, endpointUrl }: DeliveryRecord): WebhookDelivery {
  const { id, endpointId, eventId, origin, status, createdAt, settledAt, nextAttemptAt, failures } = delivery;
  return {
    id,
    endpointId,
    endpointUrl,
    eventId,
    eventKind: event.kind,
    mediaId: event.mediaId,
    origin,
    status,
    createdAt,
    settledAt,
    nextAttemptAt,
    failures,
  };
}
