/**
 * Loaded before Miniflare. The buffer in which Miniflare writes workerd's configuration grows by 4 KiB at a time, and all of it
 * is copied each time. With the video engine's 32 MB, that takes seconds of CPU time, so it grows by a mebibyte here
 * (github.com/cloudflare/workers-sdk/issues/15271).
 */
import { registerHooks } from "node:module";

const MINIFLARE = "/node_modules/miniflare/dist/src/index.js";
/** The line in Miniflare that sets the growth. */
export const SMALL = "MIN_SINGLE_SEGMENT_GROWTH = 4096;";
const LARGE = "MIN_SINGLE_SEGMENT_GROWTH = 1048576;";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(MINIFLARE) || loaded.source === undefined || loaded.source === null) return loaded;
    const source =
      typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: source.replace(SMALL, LARGE) };
  },
});
