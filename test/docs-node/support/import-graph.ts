import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path/posix";

/** The imports of each file. Paths are relative to the root of the sources. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** `from "…"` of imports and re-exports, `import "…"`, `import("…")` of values and types, and files that are loaded by their URL. */
const SPECIFIER =
  /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+|\bnew URL\(\s*|<reference\s+path\s*=\s*)(["'])([^"'\n]+)\1(\s*,\s*import\.meta)?/g;

/** The files that a source imports. Paths are relative to the root of the sources. AssemblyScript omits extensions. */
export function importsOf(file: string, source: string): string[] {
  return [...source.matchAll(SPECIFIER)].flatMap(([, , specifier = "", isByAddress]) => {
    const isFile = /^\.\.?\//.test(specifier) || (isByAddress !== undefined && /\.[jt]sx?$/.test(specifier));
    if (!isFile || specifier.endsWith("/")) return [];
    const path = join(dirname(file), specifier.replace(/\?.*$/, ""));
    return [/\.\w+$/.test(path) ? path : `${path}.ts`];
  });
}

/** Reads the imports between the sources under a folder. Imports from outside are left out. */
export async function readImports(root: string): Promise<ImportGraph> {
  const names = (await readdir(root, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const graph = new Map<string, ReadonlySet<string>>();
  for (const file of names.filter((name) => /\.(?:[jt]sx?|css|wasm)$/.test(name))) {
    const source = /\.[jt]sx?$/.test(file) ? await readFile(join(root, file), "utf8") : "";
    graph.set(file, new Set(importsOf(file, source).filter((target) => !target.startsWith("../"))));
  }
  return graph;
}

/** Imports of files that do not exist, each as `file → file`. They mean that an import was parsed incorrectly. */
export function missingImports(graph: ImportGraph): string[] {
  return edgesOf(graph).flatMap(([from, to]) => (graph.has(to) ? [] : [`${from} → ${to}`]));
}

/** The folders of files; `.` for files without one. */
export function foldersOf(graph: ImportGraph): string[] {
  return [...new Set([...graph.keys()].map(dirname))].toSorted();
}

/** The graph of folders for a graph of files. */
export function folderGraph(graph: ImportGraph): ImportGraph {
  const folders = new Map(foldersOf(graph).map((folder) => [folder, new Set<string>()]));
  for (const [from, to] of edgesOf(graph)) {
    if (dirname(from) !== dirname(to)) folders.get(dirname(from))?.add(dirname(to));
  }
  return folders;
}

/** Imports that do not go down: neither to the same folder nor to a lower floor, each as `file → file`. */
export function upwardImports(graph: ImportGraph, floors: readonly (readonly string[])[]): string[] {
  const floorOf = new Map(floors.flatMap((folders, floor) => folders.map((folder) => [folder, floor])));
  return edgesOf(graph).flatMap(([from, to]) => {
    const [above, below] = [dirname(from), dirname(to)];
    const isDown = above === below || (floorOf.get(below) ?? -1) > (floorOf.get(above) ?? Infinity);
    return isDown ? [] : [`${from} → ${to}`];
  });
}

/** The cycles of a graph, each as the list of its nodes (strongly connected components). */
export function circlesOf(graph: ImportGraph): string[][] {
  const reached = new Map([...graph.keys()].map((start) => [start, reachableFrom(start, graph)]));
  const circles = new Map<string, string[]>();
  for (const [start, targets] of reached) {
    if (!targets.has(start)) continue;
    const circle = [...targets].filter((target) => reached.get(target)?.has(start)).toSorted();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()];
}

function reachableFrom(start: string, graph: ImportGraph): Set<string> {
  const reached = new Set<string>();
  const pending = [start];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const target of graph.get(at) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      pending.push(target);
    }
  }
  return reached;
}

function edgesOf(graph: ImportGraph): (readonly [from: string, to: string])[] {
  return [...graph].flatMap(([from, targets]) => [...targets].map((to) => [from, to] as const));
}
