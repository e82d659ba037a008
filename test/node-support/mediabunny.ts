import { fileURLToPath } from "node:url";

/** Mediabunny's one-file build for runtimes without Node's modules; vitest would take the one for Node. */
export const MEDIABUNNY = fileURLToPath(
  new URL("../../node_modules/mediabunny/dist/bundles/mediabunny.mjs", import.meta.url),
);
