import { workersProject } from "../node-support/workers-project.ts";
import { answerOutside } from "../support/outside.ts";

export default workersProject({
  name: "dashboard",
  configFile: "wrangler.toml",
  bindings: () => ({ PUBLIC_URL: "https://veil.test", RATE_LIMIT_TIMEOUT_MS: "15000" }),
  sharesRuntimes: true,
  outboundService: answerOutside,
});
