import { readdir, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import type { WorkerScript } from "./deployed-workers.ts";
import { LOCAL_DIRECTORY } from "./local.ts";
import { runWrangler } from "./wrangler.ts";

/** How workerd loads a file that the bundler laid beside a script. */
const MODULE_TYPES: Readonly<Record<string, "CompiledWasm" | "Text">> = {
  ".wasm": "CompiledWasm",
  ".css": "Text",
  ".js": "Text",
};

/** The modules of a bundled Worker as Miniflare takes them, the script first. */
export interface BundledModules {
  readonly modulesRoot: string;
  readonly modules: { type: "ESModule" | "CompiledWasm" | "Text"; path: string }[];
}

/** Builds Workers as wrangler deploys them, for the local service. Throws a WranglerError when one cannot be built. */
export async function bundleWorkers(workers: readonly WorkerScript[]): Promise<void> {
  await Promise.all(
    workers.map(async ({ kind, configFile }) => {
      await rm(folderOf(kind), { recursive: true, force: true });
      await bundle(configFile, folderOf(kind));
    }),
  );
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
