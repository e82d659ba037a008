/**
 * Published detectors for the inference service: `npm run models -- list`, `pull NAME … [--from FOLDER]`, `use NAME …`.
 *
 * `use` chooses what the service loads if MODELS is not set: `use default yunet` adds a detector, `use default` restores the default.
 * HF_ENDPOINT can name a mirror of the Hub, and HF_TOKEN a token for it.
 */
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readManifest, categoriesOf, type Manifest } from "../src/models/manifest.ts";
import { CHOSEN_FILE, DEFAULT, isThere, manifestPaths } from "../src/models/names.ts";
import { pull, pullFrom, stateOf } from "./pull.ts";

function folderOf(name: string, variable: string): string {
  return process.env[variable] ?? fileURLToPath(new URL(`../${name}/`, import.meta.url));
}
const folders = {
  models: folderOf("models", "MODELS_DIR"),
  published: folderOf("published", "PUBLISHED_DIR"),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: "string" } },
});
const [command, ...names] = positionals;

try {
  if (command === "list") await list();
  else if (command === "pull") await pullAll();
  else if (command === "use") await use();
  else throw new Error("Say list, pull NAME … [--from FOLDER], or use NAME ….");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function readPublished(): Promise<Manifest[]> {
  const files = (await readdir(folders.published)).filter((name) => name.endsWith(".json"));
  return Promise.all(files.toSorted().map(async (name) => readManifest(join(folders.published, name))));
}

async function list(): Promise<void> {
  for (const manifest of await readPublished()) {
    const { id, licence, description, source } = manifest;
    const state = await stateOf(manifest, folders.published);
    console.log(
      `${id.padEnd(18)} ${state.padEnd(8)} ${licence.padEnd(11)} ${categoriesOf(manifest).join(", ")}`,
    );
    console.log(`  ${description}`);
    console.log(
      source === undefined
        ? `  Not located on the Hub; pull it --from a folder that has SHA-256 ${manifest.sha256}.`
        : `  ${source.repository} at ${source.revision}, ${source.path}`,
    );
  }
}

async function pullAll(): Promise<void> {
  const all = new Map((await readPublished()).map((manifest) => [manifest.id, manifest]));
  const unknown = names.filter((name) => !all.has(name));
  if (names.length === 0 || unknown.length > 0) {
    const known = [...all.keys()].join(", ");
    throw new Error(
      `There is no published detector ${unknown.join(", ") || "without a name"}; there are ${known}.`,
    );
  }
  for (const name of names) {
    const manifest = all.get(name);
    if (manifest === undefined) continue;
    const isNew =
      values.from === undefined
        ? await pull(manifest, {
            folder: folders.published,
            hubUrl: process.env["HF_ENDPOINT"],
            accessToken: process.env["HF_TOKEN"],
          })
        : await pullFrom(values.from, manifest, folders.published);
    console.log(
      `${manifest.file}: ${isNew ? "fetched and verified" : "was there, and is what it should be"}`,
    );
  }
}

async function use(): Promise<void> {
  if (names.length === 0) throw new Error("Name the models to use, such as default yunet.");
  for (const path of await manifestPaths(names, folders)) {
    const manifest = await readManifest(path);
    const folder = path.slice(0, -`${manifest.id}.json`.length);
    if ((await stateOf(manifest, folder)) === "there") continue;
    throw new Error(
      `The file of ${manifest.id} is not there; \`npm run models -- pull ${manifest.id}\` first.`,
    );
  }
  const path = join(folders.models, CHOSEN_FILE);
  if (names.length === 1 && names[0] === DEFAULT) {
    if (await isThere(path)) await rm(path);
  } else await writeFile(path, `${JSON.stringify(names)}\n`);
  console.log(`From its next start on the service uses ${names.join(", ")}, unless MODELS says otherwise.`);
}
