import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../node-support/time-limits.ts";

export default defineConfig({
  plugins: [
    cloudflareTest({
      miniflare: {
        compatibilityDate: "2026-06-01",
        compatibilityFlags: ["nodejs_compat"],
        modulesRules: [{ type: "CompiledWasm", include: ["**/*.wasm", "**/*.wasm?module"] }],
      },
    }),
  ],
  // Kernels keep nothing between files.
  test: { name: "redaction", isolate: false, ...TIME_LIMITS },
});
