/** The service's queues, whatever they are called where they run. */
export const QUEUE_NAMES = ["images", "videos", "webhooks"] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];
