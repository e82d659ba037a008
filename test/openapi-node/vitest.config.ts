import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "openapi-node", environment: "node", testTimeout: 60_000 },
});
