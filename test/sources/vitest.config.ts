import { workersProject } from "../node-support/workers-project.ts";

/** No outbound double: requests leave workerd for a real server on this machine. */
export default workersProject({
  name: "sources",
  configFile: "wrangler.toml",
  bindings: (inject) => ({
    PUBLIC_URL: "http://veil.test",
    LOCAL_DEVELOPMENT: "true",
    SOURCE_SERVER_URL: inject("sourceServerUrl"),
    DNS_RESOLVER_URL: `${inject("sourceServerUrl")}/dns-query`,
    // No detector is needed, because uploads are accepted while none answers.
    INFERENCE_URL: "http://127.0.0.1:9",
  }),
  sharesRuntimes: true,
  test: { globalSetup: ["../node-support/source-server.ts"] },
});
