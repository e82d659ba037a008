import { workersProject } from "../node-support/workers-project.ts";

/** No outbound double: requests leave workerd for a real server on this machine. */
export default workersProject({
  name: "webhooks",
  configFile: "wrangler.toml",
  bindings: (inject) => ({
    PUBLIC_URL: "http://veil.test",
    LOCAL_DEVELOPMENT: "true",
    RECEIVER_URL: inject("receiverUrl"),
    DNS_RESOLVER_URL: `${inject("receiverUrl")}/dns-query`,
  }),
  test: { globalSetup: ["../node-support/webhook-receiver.ts"] },
});
