import { app } from "./api.app.ts";
import { RateLimiter } from "../intake/limits/rate-limit.durable-object.ts";
import { parseApiEnv } from "../ground/platform/env.ts";
import { sweep } from "../work/maintenance/sweeper.ts";
import { consumeWebhookJobs } from "../work/webhooks/webhook-jobs.consumer.ts";

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
