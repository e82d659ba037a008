import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { MEDIABUNNY } from "../node-support/mediabunny.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";

export default defineConfig({
  plugins: [
    cloudflareTest(async ({ inject }) => ({
      wrangler: { configPath: "../../wrangler.image.json" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${import.meta.dirname}/../../migrations`),
          INFERENCE_URL: DETECTOR_URL,
          INFERENCE_TOKEN: "test-token",
          WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          ENDPOINT_URL: inject<string>("endpointUrl"),
        },
      },
    })),
  ],
  resolve: { alias: { mediabunny: MEDIABUNNY } },
  test: {
    name: "image",
    setupFiles: ["../support/setup.ts"],
    globalSetup: ["../node-support/huggingface-endpoint.ts"],
    testTimeout: 60_000,
  },
});
