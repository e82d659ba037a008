import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { REDIS_TOKEN } from "../node-support/redis.ts";
import { MEDIABUNNY } from "../node-support/mediabunny.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";
import { answerOutside } from "../support/outside.ts";

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
          WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          // A busy machine must not make the limiter let requests through.
          RATE_LIMIT_TIMEOUT_MS: "15000",
          REDIS_URL: inject<string>("redisUrl"),
          REDIS_TOKEN,
        },
        outboundService: answerOutside,
      },
    })),
  ],
  resolve: { alias: { mediabunny: MEDIABUNNY } },
  test: {
    name: "api",
    setupFiles: ["../support/setup.ts"],
    globalSetup: ["../node-support/redis.ts"],
    testTimeout: 20_000,
  },
});
