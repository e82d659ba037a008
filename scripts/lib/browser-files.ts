import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { PAGE_SOURCES } from "../../src/web/dashboard/parts/page-files.ts";
import type { PageFiles } from "../../src/web/style/browser-files.ts";
import { writeEngineFiles } from "./engine-files.ts";
import { ROOT } from "./wrangler.ts";

/** A part of the service that sends scripts and styles to browsers. */
interface Site {
  /** The folder of its sources. */
  readonly sources: string;
  /** The module that its Worker serves the bundled files from. */
  readonly target: string;
  /** The sources that each kind of page starts from. */
  readonly pages: Readonly<Record<string, { readonly script?: string; readonly style?: string }>>;
}

const SITES: readonly Site[] = [
  {
    sources: "src/web/dashboard/assets",
    target: "src/web/dashboard/parts/files.generated.ts",
    pages: PAGE_SOURCES,
  },
  {
    sources: "src/web/docs/assets",
    target: "src/web/docs/pages/files.generated.ts",
    pages: { all: { script: "docs.ts", style: "docs.css" } },
  },
];

/** The module with the names of the files that run the video engine in a browser. */
const ENGINE_TARGET = "src/web/dashboard/editor/files.generated.ts";

/**
 * Bundles the scripts and styles that browsers load, and writes them as the modules that the API Worker serves them from. The video engine
 * is too large for a module, so its files become static assets.
 */
export async function writeBrowserFiles(): Promise<void> {
  await Promise.all([
    ...SITES.map(async (site) => {
      await writeChanged(join(ROOT, site.target), await bundledModule(site));
    }),
    writeEngineModule(),
  ]);
}

async function writeEngineModule(): Promise<void> {
  const lines = [
    "/** The files that run the video engine in a browser, written by `npm run browser`. */",
    `export const ENGINE_FILES = ${literal(await writeEngineFiles())};`,
    "",
  ];
  await writeChanged(join(ROOT, ENGINE_TARGET), lines.join("\n"));
}

async function bundledModule({ sources, pages }: Site): Promise<string> {
  const entries = Object.values(pages).flatMap(({ script, style }) => [script, style]);
  const { outputFiles, metafile } = await build({
    absWorkingDir: join(ROOT, sources),
    entryPoints: [...new Set(entries.filter((entry) => entry !== undefined))],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2024",
    minify: true,
    legalComments: "none",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    outdir: ".",
    write: false,
    metafile: true,
  });
  const files = outputFiles
    .map(({ path, text }) => [basename(path), text] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const pageFiles = Object.entries(pages).map(
    ([page, { script, style }]) => [page, filesOf(metafile, { script, style })] as const,
  );
  return [
    "/** The scripts and styles that browsers load, bundled by `npm run browser`. */",
    `export const FILES: Readonly<Record<string, string>> = ${literal(Object.fromEntries(files))};`,
    "",
    `export const PAGES = ${literal(Object.fromEntries(pageFiles))};`,
    "",
  ].join("\n");
}

function literal(value: object): string {
  return JSON.stringify(value, null, 2);
}

function filesOf(
  { outputs }: Metafile,
  { script, style }: { readonly script: string | undefined; readonly style: string | undefined },
): PageFiles {
  const outputOf = (source: string): string => {
    const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
    if (found === undefined) throw new Error(`esbuild made nothing of ${source}.`);
    return found[0];
  };
  const scripts = script === undefined ? [] : [outputOf(script)];
  // The set grows during the loop, so that imports of imports are included.
  const modules = new Set(scripts);
  for (const name of modules) {
    for (const { path, kind } of outputs[name]?.imports ?? [])
      if (kind === "import-statement") modules.add(path);
  }
  return {
    styles: style === undefined ? [] : [outputOf(style)],
    scripts,
    modules: [...modules].filter((name) => !scripts.includes(name)),
  };
}

/** Does not write a file that already has this content, so that watchers are not triggered. */
async function writeChanged(file: string, text: string): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => "")) === text) return;
  await mkdir(dirname(file), { recursive: true });
  // Written to a temporary file first, because other processes may be reading it.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, file);
}
