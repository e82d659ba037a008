import { app } from "./api.app.ts";
import { RateLimiter } from "./limits/rate-limit.durable-object.ts";
import { parseApiEnv } from "./platform/env.ts";
import { sweep } from "./maintenance/sweeper.ts";
import { consumeWebhookJobs } from "./webhooks/webhook-jobs.consumer.ts";

export { RateLimiter };

export default {
  fetch: app.fetch,
  async queue(batch, bindings) {
    await consumeWebhookJobs(batch, parseApiEnv(bindings));
  },
  async scheduled(_controller, bindings) {
    await sweep(parseApiEnv(bindings));
  },
} satisfies ExportedHandler<object>;
