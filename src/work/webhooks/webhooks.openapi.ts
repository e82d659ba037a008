import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { EVENT_SCHEMAS } from "../../records/media/media-events.ts";
import { EVENT_KINDS, type EventKind } from "../../ground/vocabulary/event-kinds.ts";

const WEBHOOKS = {
  "media.processed": {
    operationId: "mediaProcessed",
    summary: "A media item has been processed",
    description: "Sent when a media item becomes `completed`. Its redacted file is at `media.download_url`.",
  },
  "media.failed": {
    operationId: "mediaFailed",
    summary: "A media item has failed",
    description: "Sent when a media item becomes `failed`.",
  },
  "media.source_deleted": {
    operationId: "mediaSourceDeleted",
    summary: "A source file has been deleted",
    description:
      "Sent when a source file is deleted, either because its retention has ended or together with its media item. `status` is the current status; `media` is null if the media item itself was deleted.",
  },
} as const satisfies Record<EventKind, object>;

const AT_LEAST_ONCE =
  "Events are delivered at least once, in any order. Every delivery of an event has the same `id`. Answer with a 2xx status within ten seconds; otherwise the event is sent again, up to eight times.";

function headersOf(kind: EventKind) {
  return z.object({
    "X-Service-Signature": z.string().openapi({
      param: {
        description:
          "`sha256=` and the HMAC-SHA256 of the raw body in lowercase hex, keyed with the endpoint's signing secret. A replaced secret signs for 24 more hours: the header then holds up to four signatures, separated by commas, newest secret first.",
      },
    }),
    "X-Service-Event": z.literal(kind).openapi({ param: { description: "The kind of event." } }),
    "X-Service-Delivery": z.string().openapi({
      param: { description: "Identifies the delivery. A retry has the same ID, a manual resend a new one." },
    }),
  });
}

/** Adds the webhooks to an OpenAPI document, from the schemas of the events. */
export function describeWebhooks(registry: OpenAPIHono["openAPIRegistry"]): void {
  for (const kind of EVENT_KINDS) {
    const { description, ...names } = WEBHOOKS[kind];
    registry.registerWebhook({
      method: "post",
      path: kind,
      ...names,
      description: `${description}\n\n${AT_LEAST_ONCE}`,
      tags: ["Webhooks"],
      // The signature authenticates it.
      security: [],
      request: {
        headers: headersOf(kind),
        body: { required: true, content: { "application/json": { schema: EVENT_SCHEMAS[kind] } } },
      },
      responses: {
        "2XX": { description: "The event was received." },
        410: { description: "The endpoint no longer exists. It is turned off at once." },
        429: {
          description:
            "The event is sent again after `Retry-After`, up to 24 hours later. The same applies to 503.",
        },
      },
    });
  }
}
