import { consumeImageJobs } from "./images/image-jobs.consumer.ts";
import { parseImageEnv } from "./platform/env.ts";

export default {
  async queue(batch, bindings) {
    await consumeImageJobs(batch, parseImageEnv(bindings));
  },
} satisfies ExportedHandler<object>;
