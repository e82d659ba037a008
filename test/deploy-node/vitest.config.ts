import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "deploy-node", environment: "node", testTimeout: 60_000 },
});
