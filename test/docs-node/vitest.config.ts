import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "docs-node", environment: "node", testTimeout: 60_000 },
});
