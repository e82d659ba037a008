import type { Miniflare } from "miniflare";
import { z } from "zod";
import type { Environment } from "./environments.ts";
import { runWrangler } from "./wrangler.ts";

/** A database of a runtime in this process. */
export type OpenDatabase = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** A database that wrangler finds. */
type WranglerTarget =
  | { readonly local: { readonly stateDirectory: string } }
  | { readonly environment: Environment };

/** Which database a command works on. */
export type DatabaseTarget = WranglerTarget | { readonly open: OpenDatabase };

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** An SQL statement and what its parameters stand for. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

const answerSchema = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }));

function targetArguments(target: WranglerTarget): string[] {
  return "local" in target
    ? ["--local", "--persist-to", target.local.stateDirectory]
    : ["--remote", "-e", target.environment];
}

/** Brings a database to the newest schema. */
export async function applyMigrations(target: WranglerTarget): Promise<void> {
  await runWrangler(["d1", "migrations", "apply", "DB", "-c", "wrangler.json", ...targetArguments(target)]);
}

/**
 * Runs one SQL statement and returns its rows. Values stand for `?` in order, or for `?1` and so on by number.
 *
 * wrangler takes no bound values, so they are written as SQL literals. Of a remote `--file` it returns no rows, so
 * the statement travels on the command line; none holds a secret.
 */
export async function query(
  target: DatabaseTarget,
  statement: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  return (await queryAll(target, [{ text: statement, values }])).flat();
}

/** Runs SQL statements in one transaction and returns the rows of each. Otherwise as `query`; `?1` is the first value. */
export async function queryAll(target: DatabaseTarget, statements: readonly Statement[]): Promise<Row[][]> {
  if ("open" in target) {
    const { open } = target;
    const answers = await open.batch<Row>(
      statements.map(({ text, values }) => open.prepare(text).bind(...values)),
    );
    return answers.map(({ results }) => results);
  }
  const output = await runWrangler([
    "d1",
    "execute",
    "DB",
    "-c",
    "wrangler.json",
    "--json",
    "--yes",
    `--command=${statements.map(withLiterals).join(";\n")}`,
    ...targetArguments(target),
  ]);
  const answer = answerSchema.parse(JSON.parse(output.slice(output.indexOf("["))));
  if (answer.length !== statements.length)
    throw new Error(`${statements.length} statements were run, and wrangler told of ${answer.length}.`);
  return answer.map(({ results }) => results);
}

/** A text in quotes, or a parameter (SQLite, "Parameters"). */
const TEXT_OR_PARAMETER = /'(?:[^']|'')*'|\?(\d*)/g;

/** Replaces each parameter by its value as an SQL literal (SQLite: text in single quotes, quotes doubled). */
function withLiterals({ text, values }: Statement): string {
  let highest = 0;
  const statement = text.replaceAll(TEXT_OR_PARAMETER, (found, digits: string | undefined) => {
    if (digits === undefined) return found;
    const number = digits === "" ? highest + 1 : Number(digits);
    highest = Math.max(highest, number);
    const value = values[number - 1];
    if (value === undefined) throw new Error(`The statement has no value for its parameter ${number}.`);
    return literal(value);
  });
  if (highest !== values.length) throw new Error("The statement has values that it has no use for.");
  return statement;
}

function literal(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error(`${value} cannot be stored.`);
    return String(value);
  }
  if (value.includes("\0")) throw new Error("A text with a zero character cannot be stored.");
  return `'${value.replaceAll("'", "''")}'`;
}
