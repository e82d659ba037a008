import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "client-node", environment: "node", testTimeout: 60_000 },
});
