import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { MEDIABUNNY } from "../node-support/mediabunny.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";

/** Seeds of the worlds; `FAULT_SEEDS=17,18 npm test -- faults` runs others. */
const SEEDS = process.env["FAULT_SEEDS"] ?? "1,2,3";

export default defineConfig({
  plugins: [
    cloudflareTest(async () => ({
      wrangler: { configPath: "../../wrangler.toml" },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations(`${import.meta.dirname}/../../migrations`),
          PUBLIC_URL: "http://veil.test",
          INFERENCE_URL: DETECTOR_URL,
          INFERENCE_TOKEN: "test-token",
          LOCAL_DEVELOPMENT: "true",
          WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
          FAULT_SEEDS: SEEDS,
        },
      },
    })),
  ],
  resolve: { alias: { mediabunny: MEDIABUNNY } },
  test: { name: "faults", setupFiles: ["../support/setup.ts"], testTimeout: 120_000 },
});
