import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    silent: "passed-only",
    // Many tests wait for a server or a queue; with the default of one worker on two cores, so does the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: ["test/*/vitest.config.ts", "inference/vitest.config.t[s]"],
  },
});
