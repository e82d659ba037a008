import { z } from "zod";
import { EVENT_KINDS } from "../../ground/vocabulary/event-kinds.ts";

const kinds = EVENT_KINDS.join(", ");

/** The event kinds that an endpoint subscribes to: at least one, without duplicates. */
const eventKindsSchema = z
  .array(
    z.enum(EVENT_KINDS, {
      error: (issue) => `There is no event ${JSON.stringify(issue.input)}; expected one of ${kinds}.`,
    }),
  )
  .min(1, `No event is selected; select one or more of ${kinds}.`)
  .transform((wanted) => EVENT_KINDS.filter((kind) => wanted.includes(kind)));

/** The request to create an endpoint. The host of its URL is checked separately. */
export const endpointOrderSchema = z.object({
  url: z.string().optional(),
  event_kinds: eventKindsSchema.optional(),
});
