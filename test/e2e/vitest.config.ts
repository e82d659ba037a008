import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "e2e",
    globalSetup: ["./running-service.ts"],
    setupFiles: ["./log-of-failures.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Most of what is waited for is a job of the service, on a busy machine.
    expect: { poll: { timeout: 120_000, interval: 100 } },
    fileParallelism: false,
  },
});
