import { z } from "@hono/zod-openapi";
import { mediaResponse, mediaSchema, type PublishedMedia } from "../media/media.schemas.ts";
import { isoDateTime } from "../platform/clock.ts";
import { idSchema, newId } from "../platform/ids.ts";
import { EVENT_KINDS, type EventKind } from "./webhooks.table.ts";

const dateTime = z.iso.datetime({ offset: true });

/** What a webhook carries: one thing that happened to a media item. */
export const eventSchema = z
  .strictObject({
    id: idSchema("event"),
    event: z.enum(EVENT_KINDS),
    timestamp: dateTime,
    media_id: z.uuid(),
    status: z.string(),
    processed_at: dateTime.nullable(),
    failed_at: dateTime.nullable(),
    // `mediaSchema.nullable()` would make every media of the OpenAPI document nullable.
    media: z.union([mediaSchema, z.null()]),
  })
  .openapi("WebhookEvent");

/** The event that a media's change makes, from the row as it is after the change. */
export function mediaEvent(
  kind: EventKind,
  row: PublishedMedia & { readonly origin: string },
  atMs: number,
): { id: string; mediaId: string; kind: EventKind; payload: string } {
  const id = newId("event");
  const payload: z.output<typeof eventSchema> = {
    id,
    event: kind,
    timestamp: isoDateTime(atMs),
    media_id: row.id,
    status: row.status,
    processed_at: isoDateTime(row.processedAt),
    failed_at: isoDateTime(row.failedAt),
    media: mediaResponse(row, row.origin),
  };
  return { id, mediaId: row.id, kind, payload: JSON.stringify(payload) };
}
