import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** Stands for the models of `default.json` in a list of names. */
export const DEFAULT = "default";
/** The list that `npm run models -- use` writes, beside `default.json`. */
export const CHOSEN_FILE = "chosen.json";

const list = z.array(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/)).min(1);

export interface ModelFolders {
  /** Bundled models, and the lists. */
  readonly models: string;
  /** Manifests of published detectors, and those of their networks that have been pulled. */
  readonly published: string;
}

/**
 * Paths of the manifests to load: of the names given, else of those chosen, else of the default ones.
 * @throws Error naming a model that has no manifest in either folder.
 */
export async function manifestPaths(
  names: readonly string[] | undefined,
  folders: ModelFolders,
): Promise<string[]> {
  const wanted = names ?? (await readList(join(folders.models, CHOSEN_FILE))) ?? [DEFAULT];
  const expanded = await Promise.all(
    wanted.map(async (name) =>
      name === DEFAULT ? ((await readList(join(folders.models, "default.json"))) ?? []) : [name],
    ),
  );
  const paths = await Promise.all(
    [...new Set(expanded.flat())].map(async (name) => {
      for (const folder of [folders.models, folders.published]) {
        const path = join(folder, `${name}.json`);
        if (await isThere(path)) return path;
      }
      throw new Error(`There is no model ${name}: neither folder of models has ${name}.json.`);
    }),
  );
  if (paths.length === 0) throw new Error(`No model is named, and ${folders.models} has no default.json.`);
  return paths;
}

async function readList(path: string): Promise<string[] | undefined> {
  if (!(await isThere(path))) return undefined;
  return list.parse(JSON.parse(await readFile(path, "utf8")));
}

/** Whether a file can be reached. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
