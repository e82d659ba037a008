import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WORKERS } from "../../../scripts/lib/deployed-workers.ts";
import { ROOT } from "../../../scripts/lib/wrangler.ts";

type Change = (text: string) => string;

/** Copies the wrangler files into a folder, some of them changed. Returns the folder. */
export async function changedConfigs(
  folder: string,
  changes: Readonly<Partial<Record<string, Change>>>,
): Promise<string> {
  const configs = join(folder, "configs");
  await mkdir(configs, { recursive: true });
  for (const { configFile } of WORKERS) {
    const text = await readFile(join(ROOT, configFile), "utf8");
    const changed = changes[configFile]?.(text) ?? text;
    if (configFile in changes && changed === text) throw new Error(`${configFile} is unchanged.`);
    await writeFile(join(configs, configFile), changed);
  }
  return configs;
}
