import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

/** In a list of names, stands for the models of `default.json`. */
export const DEFAULT = "default";
/** The list that `npm run models -- use` writes beside `default.json`. */
export const CHOSEN_FILE = "chosen.json";

const list = z.array(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/)).min(1);

export interface ModelFolders {
  /** Folder of the bundled models and of the lists. */
  readonly models: string;
  /** Folder of the manifests of published detectors and of the networks that were pulled for them. */
  readonly published: string;
}

/**
 * Paths of the manifests to load: of the given names, or else the chosen ones, or else the default ones.
 * @throws Error that names a model without a manifest in either folder.
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
