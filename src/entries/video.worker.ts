import { parseVideoEnv } from "../ground/platform/env.ts";
import { consumeVideoJobs } from "../work/video/video-jobs.consumer.ts";

export default {
  async queue(batch, bindings) {
    await consumeVideoJobs(batch, parseVideoEnv(bindings));
  },
} satisfies ExportedHandler<object>;
