import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "redaction-node",
    environment: "node",
    testTimeout: 120_000,
    // Memory is measured after a collection that the test asks for.
    execArgv: ["--expose-gc"],
  },
});
