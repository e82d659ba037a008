import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { writeBrowserFiles } from "./scripts/lib/browser-files.ts";

/** Projects that run in Node with nothing set up around them. */
const PLAIN_NODE_PROJECTS: Readonly<Record<string, number>> = {
  "client-node": 60_000,
  "deploy-node": 60_000,
  "docs-node": 60_000,
  "openapi-node": 60_000,
  "python-node": 240_000,
  "start-node": 240_000,
  "video-node": 60_000,
  "webhook-docs-node": 240_000,
};

// The API Worker serves them from generated modules, which must be those of today's sources.
await writeBrowserFiles();

export default defineConfig({
  test: {
    silent: "passed-only",
    // More than there are cores: many tests wait for a server or a queue, and with fewer workers so does the machine.
    maxWorkers: availableParallelism() + 1,
    projects: [
      "test/*/vitest.config.ts",
      "inference/vitest.config.t[s]",
      ...Object.entries(PLAIN_NODE_PROJECTS).map(([name, testTimeout]) => ({
        test: {
          name,
          root: `test/${name}`,
          environment: "node" as const,
          testTimeout,
          hookTimeout: testTimeout,
        },
      })),
    ],
  },
});
