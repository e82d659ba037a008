import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { WorkerScript } from "./deployed-workers.ts";
import { writeBrowserFiles } from "./browser-files.ts";
import { LOCAL_DIRECTORY } from "./local.ts";
import { ROOT, runWrangler } from "./wrangler.ts";

/** How workerd loads a file that the bundler wrote beside a script. */
const MODULE_TYPES: Readonly<Record<string, BundledModules["modules"][number]["type"]>> = {
  ".wasm": "CompiledWasm",
  ".md": "Text",
  ".webp": "Data",
};

/** The modules of a bundled Worker in Miniflare's form, with the script first. */
export interface BundledModules {
  readonly modulesRoot: string;
  readonly modules: { type: "ESModule" | "CompiledWasm" | "Text" | "Data"; path: string }[];
}

/** The inputs of a Worker: all sources, the guides that it shows, and npm's record of the installed packages. */
const SOURCES = [
  "src",
  "docs",
  "packages/client/README.md",
  "packages/python/README.md",
  "tsconfig.json",
  "package-lock.json",
  "node_modules/.package-lock.json",
];
/** The cache of built Workers, for other data folders and for this one after `--fresh`. */
const KEPT = join(ROOT, "node_modules/.cache/veil-workers");
/** A file in a built Worker's folder with the hash of its sources. It is written last. */
const BUILT_FROM = "built-from.sha256";

/**
 * Builds Workers for the local service as wrangler deploys them. A build from the same sources is reused. Throws a WranglerError if one
 * cannot be built.
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

/** Copies a folder. Returns false if it does not exist or is removed meanwhile. */
async function copied(from: string, to: string): Promise<boolean> {
  return await cp(from, to, { recursive: true }).then(
    () => true,
    () => false,
  );
}

/** Stores a built Worker in the cache, in place of builds from other sources. If that fails, it is built again next time. */
async function keep(folder: string, kind: string, kept: string): Promise<void> {
  await mkdir(KEPT, { recursive: true });
  const others = (await readdir(KEPT)).filter(
    (name) => name.startsWith(`${kind}-`) && name !== basename(kept),
  );
  for (const name of others) await rm(join(KEPT, name), { recursive: true, force: true });
  // Copied to a temporary folder first, because another start may use the same sources at this moment.
  const copy = join(KEPT, `${process.pid}-${kind}`);
  if (await copied(folder, copy)) await rename(copy, kept).catch(() => undefined);
  await rm(copy, { recursive: true, force: true });
}

/** SHA-256 in hex of the names and contents of files and of all files in folders. Paths are relative to the root. */
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

/** Empty if the path does not exist, because only npm writes a record of installed packages. */
async function filesAt(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

/** The modules that {@link bundleWorkers} built for a Worker. */
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
