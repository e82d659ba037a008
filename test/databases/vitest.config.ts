import { workersProject } from "../node-support/workers-project.ts";
import { answerOutside } from "../support/outside.ts";

export default workersProject({
  name: "databases",
  configFile: "wrangler.toml",
  hasSecondDatabase: true,
  bindings: () => ({ PUBLIC_URL: "http://veil.test", RATE_LIMIT_TIMEOUT_MS: "15000" }),
  sharesRuntimes: true,
  outboundService: answerOutside,
});
