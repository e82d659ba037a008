import { realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, join, normalize, relative, resolve, sep } from "node:path";
import { glob, isDynamicPattern } from "tinyglobby";
import type { Order } from "./arguments.ts";
import { UsageError } from "./option-values.ts";

const MEDIA_NAME = /\.(jpe?g|png|webp|hei[cf]|avif|gif|tiff?|bmp|mp4|m4v|mov|qt|webm|mkv|avi)$/i;
const REDACTED_NAME = /\.redacted\.[^.]+$/i;

/** A file to redact, and where to write its redacted file. */
export interface Task {
  /** The name as it was given, to show to people. */
  readonly name: string;
  /** A path, or an https URL. */
  readonly input: string;
  readonly outputPath: string;
  /** Its folder below the given folder or glob, with `/` between parts; empty at the top. */
  readonly subfolder: string;
  /** Whether the user named the output file, which then keeps that name whatever its content is. */
  readonly isNamed: boolean;
}

/** A file in a folder or glob that is skipped. */
export interface LeftAlone {
  /** Its path relative to the current folder. */
  readonly name: string;
  readonly reason: "skipped" | "redacted_already" | "output_exists";
}

/** The files that an order's paths resolve to. */
export interface Plan {
  readonly tasks: readonly Task[];
  /** Files in folders and globs whose names are not those of photos or videos, or that are already redacted. */
  readonly leftAlone: readonly LeftAlone[];
}

/** The files that one path of an order resolves to. */
interface Group {
  readonly files: readonly Found[];
  readonly leftAlone: readonly LeftAlone[];
  readonly isMany: boolean;
}

interface Found {
  /** The path as it was given, or an https URL. */
  readonly path: string;
  /** Its path below the output folder. */
  readonly place: string;
}

/** Finds the files of an order and assigns an output to each. @throws UsageError if that is not possible */
export async function planOf(order: Pick<Order, "paths" | "output">, directory: string): Promise<Plan> {
  const groups = await Promise.all(order.paths.map(async (path) => await filesOf(path, directory)));
  const found = groups.flatMap((group) => group.files);
  const unique = [...new Map(found.map((file) => [inputOf(file, directory), file])).values()];
  const leftAlone = leftAloneOf(groups, unique);
  if (unique.length === 0) {
    const names = leftAlone.map(({ name }) => name);
    const others = names.length === 0 ? "" : ` Skipped: ${list(names)}.`;
    throw new UsageError(`There is no photo or video in ${order.paths.join(", ")}.${others}`);
  }
  const isFolder = await isOutputFolder(
    order,
    directory,
    groups.length > 1 || groups.some((group) => group.isMany),
  );
  const tasks = unique.map((file) => ({
    name: isUrl(file.path) ? withoutQuery(file.path) : file.path,
    input: inputOf(file, directory),
    subfolder: subfolderOf(file),
    outputPath: outputOf(file, order.output, { directory, isFolder }),
    isNamed: order.output !== undefined && !isFolder,
  }));
  await refuseClashes(tasks);
  return { tasks, leftAlone };
}

const MOST_LISTED = 10;

/** Names in one line. If there are many, the first ones and the number of the others. */
function list(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return [...names.slice(0, MOST_LISTED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** The files that no path of the order includes, without duplicates. */
function leftAloneOf(groups: readonly Group[], taken: readonly Found[]): LeftAlone[] {
  const takenPaths = new Set(taken.map(({ path }) => normalize(path)));
  const all = groups.flatMap((group) => group.leftAlone);
  const unique = new Map(all.map((file) => [normalize(file.name), file]));
  return [...unique].flatMap(([path, file]) => (takenPaths.has(path) ? [] : [file]));
}

async function filesOf(path: string, directory: string): Promise<Group> {
  if (isUrl(path)) return { files: [{ path, place: placeOf(path) }], leftAlone: [], isMany: false };
  const kind = await kindOf(resolve(directory, path));
  if (kind === "file") return { files: [{ path, place: basename(path) }], leftAlone: [], isMany: false };
  if (kind === "folder") return await filesMatching("**/*", path, directory);
  if (isDynamicPattern(path)) {
    const fixed = path.split("/").findIndex((part) => isDynamicPattern(part));
    const folder = path.split("/").slice(0, fixed).join("/");
    const pattern = path.split("/").slice(fixed).join("/");
    return await filesMatching(pattern, path.startsWith("/") && folder === "" ? "/" : folder, directory);
  }
  throw new UsageError(`There is no file or folder ${path}.`);
}

async function filesMatching(pattern: string, folder: string, directory: string): Promise<Group> {
  const cwd = resolve(directory, folder);
  const all = await glob(pattern, { cwd, expandDirectories: false, followSymbolicLinks: false });
  const files: Found[] = [];
  const leftAlone: LeftAlone[] = [];
  for (const place of all.sort()) {
    const path = join(folder, place);
    if (REDACTED_NAME.test(place)) leftAlone.push({ name: path, reason: "redacted_already" });
    else if (MEDIA_NAME.test(place)) files.push({ path, place });
    else leftAlone.push({ name: path, reason: "skipped" });
  }
  return { files, leftAlone, isMany: true };
}

async function isOutputFolder(
  { output }: Pick<Order, "output">,
  directory: string,
  isMany: boolean,
): Promise<boolean> {
  if (output === undefined) return false;
  const kind = await kindOf(resolve(directory, output));
  if (isMany && (kind === "file" || (kind === undefined && MEDIA_NAME.test(output))))
    throw new UsageError(
      `--output is ${JSON.stringify(output)}, a file; several files need a folder, such as redacted/.`,
    );
  return isMany || kind === "folder" || output.endsWith("/") || output.endsWith(sep);
}

function outputOf(
  { path, place }: Found,
  output: string | undefined,
  { directory, isFolder }: { directory: string; isFolder: boolean },
): string {
  if (output !== undefined) return isFolder ? resolve(directory, output, place) : resolve(directory, output);
  const beside = isUrl(path) ? resolve(directory, place) : resolve(directory, path);
  const extension = extname(beside);
  return join(dirname(beside), `${basename(beside, extension)}.redacted${extension}`);
}

function subfolderOf({ place }: Found): string {
  return normalize(place).split(sep).slice(0, -1).join("/");
}

/** Whether an input is a URL, which the service fetches itself. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The location of an input: a URL unchanged, or a path resolved against a folder. */
function inputOf({ path }: Found, directory: string): string {
  return isUrl(path) ? path : resolve(directory, path);
}

/** For people and logs, because signed URLs contain secrets after the question mark. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "");
}

/** The file name at the end of a URL's path. @throws UsageError for an invalid URL */
function placeOf(url: string): string {
  if (!URL.canParse(url)) throw new UsageError(`${withoutQuery(url)} is not a URL.`);
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  // An empty name, or one that means a folder, is not a file name.
  const name = decode(last).replaceAll(/[/\\\0]/g, "_");
  return name === "" || name === "." || name === ".." ? "file" : name;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function refuseClashes(tasks: readonly Task[]): Promise<void> {
  const paths = tasks.map(({ input }) => input).filter((input) => !isUrl(input));
  const sources = new Set(await Promise.all(paths.map(async (path) => await realpath(path))));
  const outputs = new Map<string, Task>();
  for (const task of tasks) {
    const other = outputs.get(task.outputPath);
    if (other !== undefined)
      throw new UsageError(
        `${other.name} and ${task.name} would both be written to ${shown(task.outputPath)}.`,
      );
    outputs.set(task.outputPath, task);
    const existing = await realpath(task.outputPath).catch(() => undefined);
    if (existing !== undefined && sources.has(existing))
      throw new UsageError(`${task.name} would be written over the source ${shown(existing)}.`);
  }
}

/** A path relative to the current folder, if that is shorter. */
export function shown(path: string): string {
  const here = relative(process.cwd(), path);
  return here !== "" && !here.startsWith("..") ? here : path;
}

async function kindOf(path: string): Promise<"file" | "folder" | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isDirectory() ? "folder" : "file";
}
