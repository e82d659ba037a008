/** Writes what wrangler reads from the one source of all Workers' configurations: `npm run wrangler-files`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_FILES, wranglerConfig } from "./lib/wrangler-configs.ts";
import { ROOT } from "./lib/wrangler.ts";

try {
  for (const kind of ["api", "image", "video"] as const) {
    await writeFile(join(ROOT, CONFIG_FILES[kind]), `${JSON.stringify(wranglerConfig(kind), null, 2)}\n`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
