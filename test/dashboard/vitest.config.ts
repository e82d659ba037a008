import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { MEDIABUNNY } from "../node-support/mediabunny.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";
import { answerOutside } from "../support/outside.ts";

export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "../../wrangler.toml" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${import.meta.dirname}/../../migrations`),
          PUBLIC_URL: "https://veil.test",
          INFERENCE_URL: DETECTOR_URL,
          INFERENCE_TOKEN: "test-token",
          WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          RATE_LIMIT_TIMEOUT_MS: "15000",
        },
        outboundService: answerOutside,
      },
    })),
  ],
  resolve: { alias: { mediabunny: MEDIABUNNY } },
  test: {
    name: "dashboard",
    setupFiles: ["../support/setup.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
