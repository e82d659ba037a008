import { OPERATOR, type Deed } from "../../src/records/audit/audit.repository.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { databaseOver, type Database } from "../../src/ground/platform/database.ts";
import { runAll, type DatabaseTarget } from "./database.ts";
import type { Answer, Row, SqlValue, Statement } from "./sql-statements.ts";

/**
 * The database in the form that the service's repositories expect, so that a command runs the same statements as a request. Drizzle reads
 * through it too.
 */
export function outsideDatabase(target: DatabaseTarget): Database {
  const statements = new WeakMap<D1PreparedStatement, Statement>();

  function prepared(statement: Statement): D1PreparedStatement {
    const run = async <T>(): Promise<D1Result<T>> => {
      const [answer = { rows: [], changes: 0 }] = await runAll(target, [statement]);
      return resultOf<T>(answer);
    };
    const made = {
      bind: (...values: unknown[]) => prepared({ ...statement, values: values.map(sqlValueOf) }),
      all: run,
      run,
      async first(column?: string) {
        const [row] = (await run<Row>()).results;
        return row === undefined ? null : column === undefined ? row : (row[column] ?? null);
      },
      async raw() {
        refuseEqualColumns(statement.text);
        return (await run<Row>()).results.map((row) => Object.values(row));
      },
      // The caller knows the type of the rows, as with the service's own driver.
    } as D1PreparedStatement;
    statements.set(made, statement);
    return made;
  }

  return databaseOver({
    prepare: (text) => prepared({ text, values: [] }),
    async batch<T>(batch: readonly D1PreparedStatement[]) {
      const answers = await runAll(
        target,
        batch.map((one) => {
          const statement = statements.get(one);
          if (statement === undefined) throw new Error("The statement was prepared on another database.");
          return statement;
        }),
      );
      return answers.map(resultOf<T>);
    },
  });
}

function resultOf<T>({ rows, changes }: Answer): D1Result<T> {
  return { success: true, results: rows as T[], meta: { changes } as D1Meta & Record<string, unknown> };
}

/** A selected column in a statement from Drizzle, before a comma or the end of the list. */
const SELECTED_COLUMN = /"(\w+)"(?=,|$)/g;

/** Rows come as objects. Two selected columns with one name would be one field, and Drizzle would assign the others wrongly. */
function refuseEqualColumns(text: string): void {
  const [, list = ""] = /^select (?:distinct )?(.*?) from /s.exec(text) ?? [];
  const names = [...list.matchAll(SELECTED_COLUMN)].map(([, name]) => name);
  if (new Set(names).size < names.length)
    throw new Error(`Two of the selected columns have the same name: ${names.join(", ")}.`);
}

function sqlValueOf(value: unknown): SqlValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new Error(`A ${typeof value} cannot be written as SQL.`);
}

/** The operator's action in an account, in the form that the repositories record. */
export function deedOn(accountId: string): Deed {
  return { accountId, actor: OPERATOR, requestId: newId("request"), nowMs: Date.now() };
}
