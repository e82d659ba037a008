import { env } from "cloudflare:workers";
import { withMainDatabase } from "../../src/ground/platform/databases.ts";
import { HeldQueue } from "./held-queue.ts";

/**
 * The bindings with queues that deliver nothing. The runtime would deliver what is sent to its own queues to the Worker, in real time and
 * beside the test.
 */
export function quietBindings() {
  const [images, videos, webhooks] = [new HeldQueue(), new HeldQueue(), new HeldQueue()];
  return withMainDatabase({
    ...env,
    IMAGE_JOBS: images.binding,
    VIDEO_JOBS: videos.binding,
    WEBHOOK_JOBS: webhooks.binding,
  });
}
