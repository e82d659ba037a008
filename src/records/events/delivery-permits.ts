import { z } from "zod";

/** Body of a message on the webhook queue: a permit to attempt deliveries, and the delivery and request that it was sent for. */
export const webhookJobSchema = z.object({ deliveryId: z.string(), requestId: z.string() });

export type WebhookJob = z.output<typeof webhookJobSchema>;
