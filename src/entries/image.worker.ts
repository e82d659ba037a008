import { consumeImageJobs } from "../work/images/image-jobs.consumer.ts";
import { parseImageEnv } from "../ground/platform/env.ts";

export default {
  async queue(batch, bindings) {
    await consumeImageJobs(batch, parseImageEnv(bindings));
  },
} satisfies ExportedHandler<object>;
