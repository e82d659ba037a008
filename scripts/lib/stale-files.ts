import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Environment, Placement } from "./environments.ts";
import { CONFIG_FILES, wranglerConfig } from "./wrangler-configs.ts";
import { ROOT } from "./wrangler.ts";

/**
 * Refuses wrangler files that disagree with `environments.ts`. Wrangler deploys the Workers from its files, while
 * `environments.ts` decides where their data lives, so a difference would bind Workers to the wrong storage.
 *
 * @throws when a file is not what `npm run wrangler-files` writes
 */
export async function refuseStaleFiles(placements: Readonly<Record<Environment, Placement>>): Promise<void> {
  const stale: string[] = [];
  for (const kind of ["api", "image", "video"] as const) {
    const file = CONFIG_FILES[kind];
    const written: unknown = JSON.parse(await readFile(join(ROOT, file), "utf8"));
    if (!isDeepStrictEqual(written, wranglerConfig(kind, placements))) stale.push(file);
  }
  if (stale.length === 0) return;
  throw new Error(
    `Nothing was deployed. ${stale.join(", ")} ${stale.length === 1 ? "does" : "do"} not match ` +
      `scripts/lib/environments.ts: run \`npm run wrangler-files\` and commit the result.`,
  );
}
