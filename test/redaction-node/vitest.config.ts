import { readFile } from "node:fs/promises";
import { defineConfig, type Plugin } from "vitest/config";
import { TIME_LIMITS } from "../node-support/time-limits.ts";

/** Imports of WebAssembly give a compiled module, as they do in workerd. */
const wasmModules: Plugin = {
  name: "wasm-modules",
  enforce: "pre",
  async load(id) {
    if (!id.endsWith(".wasm?module")) return undefined;
    const base64 = await readFile(id.slice(0, -"?module".length), "base64");
    return `export default new WebAssembly.Module(Uint8Array.from(atob("${base64}"), (c) => c.charCodeAt(0)));`;
  },
};

export default defineConfig({
  plugins: [wasmModules],
  test: {
    name: "redaction-node",
    environment: "node",
    ...TIME_LIMITS,
    // Memory is measured after a collection that the test asks for.
    execArgv: ["--expose-gc"],
    server: { deps: { inline: [/@jsquash/u, /libheif\.wasm/u] } },
  },
});
