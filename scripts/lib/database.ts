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
 * Runs one SQL statement and returns its rows. Values stand for `?` in order.
 *
 * wrangler takes no bound values, so they are written as SQL literals. Of a remote `--file` it returns no rows, so
 * the statement travels on the command line; none holds a secret.
 */
export async function query(
  target: DatabaseTarget,
  statement: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  if ("open" in target) {
    const { results } = await target.open
      .prepare(statement)
      .bind(...values)
      .all();
    return results;
  }
  const output = await runWrangler([
    "d1",
    "execute",
    "DB",
    "-c",
    "wrangler.json",
    "--json",
    "--yes",
    `--command=${withLiterals(statement, values)}`,
    ...targetArguments(target),
  ]);
  const answer = answerSchema.parse(JSON.parse(output.slice(output.indexOf("["))));
  return answer.flatMap((part) => part.results);
}

/** Replaces each `?` by a value as an SQL literal (SQLite: text in single quotes, quotes doubled). */
function withLiterals(statement: string, values: readonly SqlValue[]): string {
  const parts = statement.split("?");
  if (parts.length !== values.length + 1) throw new Error("The statement needs one value for each ?.");
  return parts
    .map((part, index) => part + (index < values.length ? literal(values[index] ?? null) : ""))
    .join("");
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
