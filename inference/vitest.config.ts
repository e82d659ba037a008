import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../test/node-support/time-limits.ts";

export default defineConfig({
  test: {
    name: "inference",
    include: ["test/**/*.test.ts"],
    environment: "node",
    // Each file starts services with threads of their own; side by side they would wait for each other's cores.
    fileParallelism: false,
    ...TIME_LIMITS,
  },
});
