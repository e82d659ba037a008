import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path/posix";

/** The sources of a tree, by paths from its root. */
type Sources = Readonly<Record<string, string>>;

/** A declared table: its constant, its name in the database, and the folder that declares it. */
interface DeclaredTable {
  readonly constant: string;
  readonly name: string;
  readonly folder: string;
}

const DECLARATION = /\bconst (\w+) = sqliteTable\(\s*"(\w+)"/g;
const IMPORT = /\bimport\s[^;]*?\bfrom\s*"[^"]+";/g;
/** A comment, a text, a character that opens or closes something, or other code. */
const CODE = /\/\*.*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|[`{}]|[^`{}"/]+|./sy;
/** A part of a template, its end, or the beginning of a value in it. */
const TEMPLATE = /(?:[^`\\$]|\\.|\$(?!\{))+|`|\$\{/sy;
/** A text inside SQL, such as a state or a path into JSON. */
const SQL_TEXT = /'[^'\n]*'/g;
/** The name of an action or event, such as `"media.deleted"`. */
const DOTTED_NAME = /^"\w+\.\w+"$/;

/** Reads the repositories and tables under a folder: SQL and Drizzle are nowhere else. */
export async function readRepositories(root: string): Promise<Sources> {
  const names = (await readdir(root, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const files = names.filter((name) => /\.(?:repository|table)\.ts$/.test(name));
  const entries = files.map(async (file) => [file, await readFile(join(root, file), "utf8")] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The tables that a tree declares. */
export function tablesOf(sources: Sources): DeclaredTable[] {
  return Object.entries(sources).flatMap(([file, source]) =>
    file.endsWith(".table.ts")
      ? [...source.matchAll(DECLARATION)].map(([, constant = "", name = ""]) => {
          return { constant, name, folder: dirname(file) };
        })
      : [],
  );
}

/** The tables that a source names: in SQL, and among its imports for Drizzle. */
function tablesNamedIn(source: string, tables: readonly DeclaredTable[]): DeclaredTable[] {
  const imports = (source.match(IMPORT) ?? []).filter((text) => text.endsWith('.table.ts";'));
  const { code, texts } = split(source.replaceAll(IMPORT, ""));
  const everything = [code, ...texts].join("\n");
  return tables.filter(({ constant, name }) => {
    if (imports.some((text) => new RegExp(`\\b${constant}\\b`).test(text))) return true;
    // Only SQL has underscores in names. A table's name of one word may be any word.
    if (name.includes("_")) return new RegExp(`\\b${name}\\b`).test(everything);
    return texts.some((text) => isTableIn(text, name));
  });
}

/** Separates a source's texts from its code. Comments, texts inside SQL and names of actions are left out. */
function split(source: string): { readonly code: string; readonly texts: readonly string[] } {
  const open: string[] = [];
  const texts: string[] = [];
  let code = "";
  for (let at = 0; at < source.length;) {
    const isTemplate = open.at(-1) === "`";
    const pattern = isTemplate ? TEMPLATE : CODE;
    pattern.lastIndex = at;
    const [piece] = pattern.exec(source) ?? [""];
    if (piece === "")
      throw new Error(`The source cannot be read from ${JSON.stringify(source.slice(at, at + 40))}.`);
    at += piece.length;
    if (piece === (isTemplate ? "`" : "}")) open.pop();
    else if (piece === "`" || piece === "{" || piece === "${") open.push(piece);
    else if (isTemplate || piece.startsWith('"')) {
      if (!DOTTED_NAME.test(piece)) texts.push(piece.replaceAll(SQL_TEXT, ""));
    } else if (!/^\/[*/]/.test(piece)) code += piece;
  }
  return { code, texts };
}

/** Whether a text names a table where SQL expects one, before a column, or as nothing but its name. */
function isTableIn(text: string, name: string): boolean {
  const clause = `\\b(?:FROM|JOIN|INTO|UPDATE)\\s+${name}\\b`;
  const column = `(?<![\\w.\${])${name}\\.(?:\\*|[a-z_]+\\b(?!\\())`;
  return new RegExp(`${clause}|${column}|^"${name}"$`).test(text);
}

/** Tables of the same floor or of higher ones that files name, each as `file → table (folder)`. */
export function backDoorsOf(sources: Sources, floors: readonly (readonly string[])[]): string[] {
  const floorOf = new Map(floors.flatMap((folders, floor) => folders.map((folder) => [folder, floor])));
  const tables = tablesOf(sources);
  return Object.entries(sources)
    .flatMap(([file, source]) => {
      const user = dirname(file);
      const isDown = (owner: string): boolean =>
        user === owner || (floorOf.get(owner) ?? -1) > (floorOf.get(user) ?? Infinity);
      return tablesNamedIn(source, tables).flatMap(({ name, folder }) =>
        isDown(folder) ? [] : [`${file} → ${name} (${folder})`],
      );
    })
    .toSorted();
}
