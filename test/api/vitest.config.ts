import { REDIS_TOKEN } from "../node-support/redis.ts";
import { workersProject } from "../node-support/workers-project.ts";
import { answerOutside } from "../support/outside.ts";

export default workersProject({
  name: "api",
  configFile: "wrangler.toml",
  sharesRuntimes: true,
  bindings: (inject) => ({
    PUBLIC_URL: "http://veil.test",
    // A busy machine must not make the limiter let requests through.
    RATE_LIMIT_TIMEOUT_MS: "15000",
    REDIS_URL: inject("redisUrl"),
    REDIS_TOKEN,
  }),
  outboundService: answerOutside,
  test: { globalSetup: ["../node-support/redis.ts"] },
});
