import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";
import { sendPermits } from "../../ground/platform/permits.ts";
import { mediaEvent } from "../../records/media/media-events.ts";
import type { PublishedMedia } from "../../records/media/media.schemas.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { newUuid } from "../../ground/platform/ids.ts";
import { insertTestEvent } from "../../records/events/webhook-deliveries.repository.ts";
import {
  findEndpointRow,
  type EndpointOwnership,
} from "../../records/events/webhook-endpoints.repository.ts";
import { endpointDisabled, noSuchEndpoint } from "./webhooks.errors.ts";

/**
 * Sends an endpoint a test event about a media item that does not exist, built like a real one.
 *
 * @param origin the service's own scheme, host and port
 * @returns the ID of the delivery
 * @throws VeilError 404 if the account has no such endpoint, 409 if it is disabled
 */
export async function sendTestEvent(
  config: Pick<ApiEnv, "DB" | "WEBHOOK_JOBS">,
  owned: EndpointOwnership,
  { kind, requestId, origin }: { kind: EventKind; requestId: string; origin: string },
): Promise<string> {
  const database = openDatabase(config.DB, "primary");
  const endpoint = await findEndpointRow(database, owned);
  if (endpoint === undefined) throw noSuchEndpoint();
  if (endpoint.disabledAt !== null) throw endpointDisabled();
  const now = nowMs();
  const event = mediaEvent(kind, { ...exampleMedia(kind, now), origin }, now);
  const deliveryId = await insertTestEvent(database, {
    ...event,
    accountId: owned.accountId,
    mediaId: event.mediaId,
    requestId,
    createdAt: now,
    endpointId: owned.endpointId,
  });
  if (deliveryId === undefined) throw endpointDisabled();
  await sendPermits(config.WEBHOOK_JOBS, [{ deliveryId, requestId }]);
  return deliveryId;
}

function exampleMedia(kind: EventKind, now: number): PublishedMedia {
  const isFailed = kind === "media.failed";
  return {
    id: newUuid(now),
    status: isFailed ? "failed" : "completed",
    filename: "webhook-test.jpg",
    mediaType: "image",
    categories: ["heads"],
    redactionMethod: "blur",
    fileSizeBytes: 0,
    durationSeconds: null,
    createdAt: now,
    processedAt: isFailed ? null : now,
    failedAt: isFailed ? now : null,
    outputSizeBytes: 0,
  };
}
