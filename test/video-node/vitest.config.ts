import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "video-node", environment: "node", testTimeout: 60_000 },
});
