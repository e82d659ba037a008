import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "webhook-docs-node", environment: "node", testTimeout: 240_000 },
});
