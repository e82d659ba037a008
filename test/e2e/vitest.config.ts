import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "e2e",
    globalSetup: ["./running-service.ts"],
    setupFiles: ["./log-of-failures.ts"],
    testTimeout: 240_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});
