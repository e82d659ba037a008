import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "inference",
    include: ["test/**/*.test.ts"],
    environment: "node",
    // Each file starts services with threads of their own; side by side they would wait for each other's cores.
    fileParallelism: false,
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
  },
});
