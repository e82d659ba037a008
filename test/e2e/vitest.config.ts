import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "../node-support/time-limits.ts";

export default defineConfig({
  test: {
    name: "e2e",
    globalSetup: ["./running-service.ts"],
    setupFiles: ["./log-of-failures.ts"],
    ...TIME_LIMITS,
    fileParallelism: false,
  },
});
