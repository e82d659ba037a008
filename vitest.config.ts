import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { TIME_LIMITS } from "./test/node-support/time-limits.ts";
import { writeBrowserFiles } from "./scripts/lib/browser-files.ts";

/** Projects that run in Node with nothing set up around them. */
const PLAIN_NODE_PROJECTS: readonly string[] = [
  "bench-node",
  "client-node",
  "deploy-node",
  "docs-node",
  "openapi-node",
  "python-node",
  "start-node",
  "video-node",
  "webhook-docs-node",
];

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
      ...PLAIN_NODE_PROJECTS.map((name) => ({
        test: {
          name,
          root: `test/${name}`,
          environment: "node" as const,
          ...TIME_LIMITS,
        },
      })),
    ],
  },
});
