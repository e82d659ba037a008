import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { build } from "esbuild";
import { ROOT } from "./wrangler.ts";

/** The directory of the API Worker's static assets, as `wrangler.toml` names it. */
const DIRECTORY = join(ROOT, "dist/browser");
const CORE = join(ROOT, "node_modules/@ffmpeg/core/dist/esm/ffmpeg-core");
/**
 * Cloudflare's limit for a static asset is 25 MiB (developers.cloudflare.com/workers/platform/limits). Parts are smaller, so that a
 * browser whose download breaks off repeats less.
 */
const PART_BYTES = 4 * 1024 * 1024;

/** The files that run the video engine in a browser, by name. */
export interface EngineFiles {
  /** The script of the browser's worker. */
  readonly worker: string;
  /** The module that the worker imports. */
  readonly core: string;
  /** The parts of the gzipped WebAssembly, in order. */
  readonly wasm: readonly string[];
  /** The sum of the sizes of all parts. */
  readonly wasmBytes: number;
}

/** Writes the files that run the video engine in a browser as static assets. Files that exist already are not made again. */
export async function writeEngineFiles(directory: string = DIRECTORY): Promise<EngineFiles> {
  await mkdir(directory, { recursive: true });
  const [workerScript, coreScript, wasm] = await Promise.all([
    bundledWorker(),
    readFile(`${CORE}.js`),
    readFile(`${CORE}.wasm`),
  ]);
  const worker = `engine-worker-${hashOf(workerScript)}.js`;
  const core = `engine-core-${hashOf(coreScript)}.js`;
  await writeMissing(join(directory, worker), workerScript);
  await writeMissing(join(directory, core), coreScript);
  const parts = await writeParts(directory, `engine-${hashOf(wasm)}`, wasm);
  await removeOthers(directory, [worker, core, ...parts]);
  const sizes = await Promise.all(parts.map(async (name) => (await stat(join(directory, name))).size));
  return { worker, core, wasm: parts, wasmBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

async function bundledWorker(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ["@ffmpeg/ffmpeg/worker"],
    bundle: true,
    format: "esm",
    target: "es2024",
    minify: true,
    legalComments: "none",
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild made nothing of the engine's worker.");
  return file.contents;
}

/** Compressing takes seconds, and every start asks for it: parts are made once for each version of the WebAssembly. */
async function writeParts(directory: string, stem: string, wasm: Uint8Array): Promise<string[]> {
  const known = new RegExp(String.raw`^${stem}\.wasm\.gz\.(\d+)of(\d+)$`);
  const found = (await readdir(directory)).filter((name) => known.test(name));
  const count = Number(known.exec(found[0] ?? "")?.[2] ?? 0);
  if (count > 0 && found.length === count) return partNames(stem, count);
  const zipped = await promisify(gzip)(wasm, { level: 9 });
  const names = partNames(stem, Math.ceil(zipped.length / PART_BYTES));
  for (const [index, name] of names.entries()) {
    const part = zipped.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
    await writeMissing(join(directory, name), part);
  }
  return names;
}

function partNames(stem: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${stem}.wasm.gz.${index + 1}of${count}`);
}

function hashOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 12);
}

async function writeMissing(file: string, content: Uint8Array): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === content.length) return;
  // Written beside the directory first, because other processes may be reading it, and all that is in it is deployed.
  const draft = `${join(file, "..")}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, file);
}

/** Removes the files of earlier versions, which would be uploaded with each deployment. */
async function removeOthers(directory: string, names: readonly string[]): Promise<void> {
  const others = (await readdir(directory)).filter((name) => !names.includes(name));
  for (const name of others) await rm(join(directory, name), { force: true });
}
