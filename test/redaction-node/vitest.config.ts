import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "redaction-node", environment: "node", testTimeout: 120_000 },
});
