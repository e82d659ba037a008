import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { DETECTOR_URL, answerAsDetector } from "../support/detector-double.ts";

export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "../../wrangler.toml" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${import.meta.dirname}/../../migrations`),
          INFERENCE_URL: DETECTOR_URL,
          INFERENCE_TOKEN: "test-token",
        },
        outboundService: answerAsDetector,
      },
    })),
  ],
  test: { name: "api", setupFiles: ["../support/setup.ts"], testTimeout: 20_000 },
});
