import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { WorkerScript } from "./deployed-workers.ts";
import { writeBrowserFiles } from "./browser-files.ts";
import { LOCAL_DIRECTORY } from "./local.ts";
import { ROOT, runWrangler } from "./wrangler.ts";

/** How workerd loads a file that the bundler laid beside a script. */
const MODULE_TYPES: Readonly<Record<string, BundledModules["modules"][number]["type"]>> = {
  ".wasm": "CompiledWasm",
  ".md": "Text",
  ".webp": "Data",
};

/** The modules of a bundled Worker as Miniflare takes them, the script first. */
export interface BundledModules {
  readonly modulesRoot: string;
  readonly modules: { type: "ESModule" | "CompiledWasm" | "Text" | "Data"; path: string }[];
}

/** What a Worker is made of: all sources, the guides it shows, and the packages as npm wrote them down when it installed them. */
const SOURCES = [
  "src",
  "docs",
  "packages/client/README.md",
  "packages/python/README.md",
  "tsconfig.base.json",
  "package-lock.json",
  "node_modules/.package-lock.json",
];
/** Where built Workers are kept for other folders of data, and for this one after `--fresh`. */
const KEPT = join(ROOT, "node_modules/.cache/veil-workers");
/** In a built Worker's folder, and written last: what it was built from. */
const BUILT_FROM = "built-from.sha256";

/**
 * Builds Workers as wrangler deploys them, for the local service; what was built from these same sources is kept. Throws a
 * WranglerError when one cannot be built.
 */
export async function bundleWorkers(workers: readonly WorkerScript[]): Promise<void> {
  await writeBrowserFiles();
  const sources = await hashOfFiles(SOURCES);
  await Promise.all(
    workers.map(async ({ kind, configFile }) => {
      const folder = folderOf(kind);
      const builtFrom = join(folder, BUILT_FROM);
      const wanted = `${sources} ${await hashOfFiles([configFile])}`;
      if ((await readFile(builtFrom, "utf8").catch(() => "")) === wanted) return;
      await rm(folder, { recursive: true, force: true });
      const kept = join(KEPT, `${kind}-${createHash("sha256").update(wanted).digest("hex")}`);
      if (!(await copied(kept, folder))) {
        await rm(folder, { recursive: true, force: true });
        await bundle(configFile, folder);
        await keep(folder, kind, kept);
      }
      await writeFile(builtFrom, wanted);
    }),
  );
}

/** Copies a folder, and says whether it could: it may not be there, or be removed meanwhile. */
async function copied(from: string, to: string): Promise<boolean> {
  return await cp(from, to, { recursive: true }).then(
    () => true,
    () => false,
  );
}

/** Keeps a built Worker in place of what was built of it from other sources. What cannot be kept is built anew next time. */
async function keep(folder: string, kind: string, kept: string): Promise<void> {
  await mkdir(KEPT, { recursive: true });
  const others = (await readdir(KEPT)).filter(
    (name) => name.startsWith(`${kind}-`) && name !== basename(kept),
  );
  for (const name of others) await rm(join(KEPT, name), { recursive: true, force: true });
  // Whole or not at all: others may start from the same sources at this moment.
  const copy = join(KEPT, `${process.pid}-${kind}`);
  if (await copied(folder, copy)) await rename(copy, kept).catch(() => undefined);
  await rm(copy, { recursive: true, force: true });
}

/** SHA-256 of the names and contents of files, and of all files in folders, in hex; paths begin at the root. */
async function hashOfFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    for (const file of await filesAt(join(ROOT, path))) {
      const content = createHash("sha256").update(await readFile(file));
      hash.update(`${file}\0${content.digest("hex")}\n`);
    }
  }
  return hash.digest("hex");
}

/** None where nothing is: only npm writes down what it has installed. */
async function filesAt(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

/** What {@link bundleWorkers} has built of a Worker. */
export async function bundledModules({ kind }: WorkerScript): Promise<BundledModules> {
  return await modulesIn(folderOf(kind), `${kind}.worker.js`);
}

/** Builds the Worker of a wrangler configuration into a folder. */
export async function bundle(configFile: string, folder: string): Promise<void> {
  await runWrangler(["deploy", "--dry-run", "--env=", `--outdir=${folder}`, `--config=${configFile}`]);
}

/** The modules that were built into a folder. */
export async function modulesIn(folder: string, script: string): Promise<BundledModules> {
  const besides = (await readdir(folder)).flatMap((file) => {
    const type = file === script ? undefined : MODULE_TYPES[extname(file)];
    return type === undefined ? [] : [{ type, path: join(folder, file) }];
  });
  return { modulesRoot: folder, modules: [{ type: "ESModule", path: join(folder, script) }, ...besides] };
}

function folderOf(kind: WorkerScript["kind"]): string {
  return join(LOCAL_DIRECTORY, "workers", kind);
}
