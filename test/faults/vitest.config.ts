import { workersProject } from "../node-support/workers-project.ts";

/** Seeds of the worlds; `FAULT_SEEDS=17,18 npm test -- faults` runs others. */
const SEEDS = process.env["FAULT_SEEDS"] ?? "1,2,3";

export default workersProject({
  name: "faults",
  configFile: "wrangler.toml",
  hasSecondDatabase: true,
  bindings: () => ({ PUBLIC_URL: "http://veil.test", LOCAL_DEVELOPMENT: "true", FAULT_SEEDS: SEEDS }),
});
