import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { MEDIABUNNY } from "../node-support/mediabunny.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";

/** No outbound double: requests leave workerd for a real server on this machine. */
export default defineConfig({
  plugins: [
    cloudflareTest(async ({ inject }) => ({
      wrangler: { configPath: "../../wrangler.toml" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${import.meta.dirname}/../../migrations`),
          PUBLIC_URL: "http://veil.test",
          INFERENCE_URL: DETECTOR_URL,
          INFERENCE_TOKEN: "test-token",
          LOCAL_DEVELOPMENT: "true",
          WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          RECEIVER_URL: inject<string>("receiverUrl"),
          DNS_RESOLVER_URL: `${inject<string>("receiverUrl")}/dns-query`,
        },
      },
    })),
  ],
  resolve: { alias: { mediabunny: MEDIABUNNY } },
  test: {
    name: "webhooks",
    setupFiles: ["../support/setup.ts"],
    globalSetup: ["../node-support/webhook-receiver.ts"],
    testTimeout: 30_000,
  },
});
