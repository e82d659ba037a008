import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { MEDIABUNNY } from "../node-support/mediabunny.ts";
import { answerWithFormats } from "../node-support/formats-service.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";

export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "../../wrangler.video.json" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${import.meta.dirname}/../../migrations`),
          INFERENCE_URL: DETECTOR_URL,
          INFERENCE_TOKEN: "test-token",
        },
        outboundService: answerWithFormats,
      },
    })),
  ],
  resolve: { alias: { mediabunny: MEDIABUNNY } },
  test: {
    name: "video",
    setupFiles: ["../support/setup.ts"],
    globalSetup: ["./clips.ts"],
    testTimeout: 120_000,
  },
});
