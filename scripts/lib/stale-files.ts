import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Environment, Placement } from "./environments.ts";
import { CONFIG_FILES, wranglerConfig } from "./wrangler-configs.ts";
import { ROOT } from "./wrangler.ts";

const REMEDY = "run `npm run wrangler-files`, which writes it.";

/**
 * Refuses wrangler files that disagree with `environments.ts`. Wrangler deploys the Workers from its files, while
 * `environments.ts` decides where their data lives, so a difference would bind Workers to the wrong storage.
 *
 * @param folder where the files are
 * @throws when a file is missing, or is not what `npm run wrangler-files` writes
 */
export async function refuseStaleFiles(
  placements: Readonly<Record<Environment, Placement>>,
  folder: string = ROOT,
): Promise<void> {
  const stale: string[] = [];
  for (const kind of ["api", "image", "video"] as const) {
    const file = CONFIG_FILES[kind];
    const written = await readConfigFile(folder, file);
    if (!isDeepStrictEqual(written, wranglerConfig(kind, placements))) stale.push(file);
  }
  if (stale.length === 0) return;
  throw new Error(
    `Nothing was deployed. ${stale.join(", ")} ${stale.length === 1 ? "does" : "do"} not match ` +
      `scripts/lib/environments.ts: run \`npm run wrangler-files\` and commit the result.`,
  );
}

async function readConfigFile(folder: string, file: string): Promise<unknown> {
  let text;
  try {
    text = await readFile(join(folder, file), "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const problem = code === "ENOENT" ? "is missing" : `cannot be read (${code})`;
    throw new Error(`Nothing was deployed. ${file} ${problem}: ${REMEDY}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Nothing was deployed. ${file} is not valid JSON: ${REMEDY}`, { cause });
  }
}
