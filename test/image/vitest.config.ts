import { workersProject } from "../node-support/workers-project.ts";

export default workersProject({
  name: "image",
  configFile: "wrangler.image.toml",
  bindings: (inject) => ({ ENDPOINT_URL: inject("endpointUrl") }),
  sharesRuntimes: true,
  test: { globalSetup: ["../node-support/huggingface-endpoint.ts"] },
});
