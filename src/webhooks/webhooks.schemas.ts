import { z } from "zod";
import { EVENT_KINDS } from "./webhooks.table.ts";

const kinds = EVENT_KINDS.join(", ");

/** The event kinds an endpoint wants: at least one; doubles collapse. */
const eventKindsSchema = z
  .array(
    z.enum(EVENT_KINDS, {
      error: (issue) => `There is no event ${JSON.stringify(issue.input)}; accepted are ${kinds}.`,
    }),
  )
  .min(1, `No event is chosen; accepted are one or more of ${kinds}.`)
  .transform((wanted) => EVENT_KINDS.filter((kind) => wanted.includes(kind)));

/** What is asked of a new endpoint; without a choice it gets every kind of event. */
export const newEndpointSchema = z.object({
  url: z.string({ error: "The URL is missing; accepted are URLs such as https://example.com/hook." }).trim(),
  event_kinds: eventKindsSchema.optional(),
});

/** What may change of an endpoint. */
export const endpointChangeSchema = newEndpointSchema.partial();
