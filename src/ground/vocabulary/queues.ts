/** The service's queues, independent of their names in a deployment. */
export const QUEUE_NAMES = ["images", "videos", "webhooks"] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];
