import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    silent: "passed-only",
    projects: ["test/*/vitest.config.ts", "inference/vitest.config.t[s]"],
  },
});
