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

/** Copies the wrangler files into a folder with a second database in production. Returns the folder. */
export async function configsWithSecondDatabase(folder: string): Promise<string> {
  const added = `
[[env.production.d1_databases]]
binding = "DB_2"
database_name = "veil-production-2"
migrations_dir = "migrations"
`;
  return await changedConfigs(
    folder,
    Object.fromEntries(WORKERS.map(({ configFile }) => [configFile, (text: string) => text + added])),
  );
}
