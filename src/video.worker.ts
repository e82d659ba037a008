import { parseVideoEnv } from "./platform/env.ts";
import { consumeVideoJobs } from "./video/video-jobs.consumer.ts";

export default {
  async queue(batch, bindings) {
    await consumeVideoJobs(batch, parseVideoEnv(bindings));
  },
} satisfies ExportedHandler<object>;
