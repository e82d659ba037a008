import { z } from "@hono/zod-openapi";
import { mediaResponse, mediaSchema, mediaStatusSchema, type PublishedMedia } from "./media.schemas.ts";
import { isoDateTime } from "../../ground/platform/clock.ts";
import { idSchema, newId } from "../../ground/platform/ids.ts";
import type { EventKind } from "../../ground/vocabulary/event-kinds.ts";

const dateTime = z.iso.datetime({ offset: true });

const commonFields = {
  id: idSchema("event").openapi({
    description: "Identifies the event. Every delivery of an event has the same ID.",
    example: "evt_019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
  }),
  timestamp: dateTime.openapi({ description: "When the event happened." }),
  media_id: z.uuid().openapi({ description: "The media item that the event is about." }),
};

const processedSchema = z
  .strictObject({
    ...commonFields,
    event: z.literal("media.processed").openapi({ description: "The kind of event." }),
    status: z.literal("completed").openapi({ description: "Always completed in this event." }),
    processed_at: dateTime.openapi({ description: "When processing completed." }),
    failed_at: z.null().openapi({ description: "Always null in this event." }),
    media: mediaSchema,
  })
  .openapi("MediaProcessedEvent");

const failedSchema = z
  .strictObject({
    ...commonFields,
    event: z.literal("media.failed").openapi({ description: "The kind of event." }),
    status: z.literal("failed").openapi({ description: "Always failed in this event." }),
    processed_at: z.null().openapi({ description: "Always null in this event." }),
    failed_at: dateTime.openapi({ description: "When processing failed." }),
    media: mediaSchema,
  })
  .openapi("MediaFailedEvent");

const sourceDeletedSchema = z
  .strictObject({
    ...commonFields,
    event: z.literal("media.source_deleted").openapi({ description: "The kind of event." }),
    status: mediaStatusSchema,
    processed_at: dateTime.nullable().openapi({ description: "When processing completed; otherwise null." }),
    failed_at: dateTime.nullable().openapi({ description: "When processing failed; otherwise null." }),
    // `mediaSchema.nullable()` would make every media item in the OpenAPI document nullable.
    media: z
      .union([mediaSchema, z.null()])
      .openapi({ description: "Null when the media item itself was deleted." }),
  })
  .openapi("MediaSourceDeletedEvent");

/** The body of each kind of event. */
export const EVENT_SCHEMAS = {
  "media.processed": processedSchema,
  "media.failed": failedSchema,
  "media.source_deleted": sourceDeletedSchema,
} as const satisfies Record<EventKind, z.ZodType>;

/** A webhook's payload: one event of a media item. */
export const eventSchema = z.discriminatedUnion("event", [
  processedSchema,
  failedSchema,
  sourceDeletedSchema,
]);

/** The fields of events of all kinds. This kind allows the most values in each. */
type EventPayload = Omit<z.output<typeof sourceDeletedSchema>, "event"> & { event: EventKind };

/** Creates the event of a change to a media item, from its row after the change. */
export function mediaEvent(
  kind: EventKind,
  row: PublishedMedia & { readonly origin: string },
  atMs: number,
): { id: string; mediaId: string; kind: EventKind; payload: string } {
  const id = newId("event");
  const payload: EventPayload = {
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
