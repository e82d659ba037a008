import type { Miniflare } from "miniflare";
import { z } from "zod";
import type { Environment } from "./environments.ts";
import { MAIN_DATABASE, type DatabaseName } from "../../src/ground/vocabulary/database-names.ts";
import { runLocal } from "./local-database.ts";
import { withLiterals, type Answer, type Row, type SqlValue, type Statement } from "./sql-statements.ts";
import { runWrangler } from "./wrangler.ts";

/** A database of a runtime in this process. */
export type OpenDatabase = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** The database of a local service, by the folder of its state. */
type LocalTarget = { readonly local: { readonly stateDirectory: string } };

/** Which database a command works on. */
export type DatabaseTarget =
  | LocalTarget
  | { readonly environment: Environment; /** The main one unless given. */ readonly database?: DatabaseName }
  | { readonly open: OpenDatabase };

/** Cloudflare D1, "Return objects". */
const answerSchema = z.array(
  z.object({
    results: z.array(z.record(z.string(), z.unknown())),
    meta: z.object({ changes: z.number() }),
  }),
);

/**
 * Runs one SQL statement and returns its rows. Values replace `?` in order, or `?1` and so on by number.
 *
 * wrangler accepts no bound values, so they are written as SQL literals. It returns no rows for a remote `--file`, so the statement is
 * passed on the command line. No statement holds a secret.
 */
export async function query(
  target: DatabaseTarget,
  statement: string,
  values: readonly SqlValue[] = [],
): Promise<Row[]> {
  const [answer] = await runAll(target, [{ text: statement, values }]);
  return answer?.rows ?? [];
}

/** Runs SQL statements in one transaction and returns the rows and changes of each. Otherwise like `query`; `?1` is the first value. */
export async function runAll(target: DatabaseTarget, statements: readonly Statement[]): Promise<Answer[]> {
  if ("open" in target) {
    const { open } = target;
    const answers = await open.batch<Row>(
      statements.map(({ text, values }) => open.prepare(text).bind(...values)),
    );
    return answers.map(({ results, meta }) => ({ rows: results, changes: meta.changes }));
  }
  if ("local" in target) return await runLocal(target.local.stateDirectory, statements);
  const output = await runWrangler([
    "d1",
    "execute",
    target.database ?? MAIN_DATABASE,
    "-c",
    "wrangler.toml",
    "--json",
    "--yes",
    `--command=${statements.map(withLiterals).join(";\n")}`,
    "--remote",
    "-e",
    target.environment,
  ]);
  return answersIn(output, statements.length);
}

/** The answers to this number of statements in the output of `wrangler d1 execute --json`. */
export function answersIn(output: string, statements: number): Answer[] {
  const answers = answerSchema.parse(JSON.parse(output.slice(output.indexOf("["))));
  if (answers.length !== statements)
    throw new Error(`${statements} statements were run, and wrangler returned ${answers.length} answers.`);
  return answers.map(({ results, meta }) => ({ rows: results, changes: meta.changes }));
}
