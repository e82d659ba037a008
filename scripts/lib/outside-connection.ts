import { OPERATOR, type Deed } from "../../src/audit/audit.repository.ts";
import { newId } from "../../src/platform/ids.ts";
import { databaseOver, type Database } from "../../src/platform/database.ts";
import { queryAll, type DatabaseTarget } from "./database.ts";
import type { SqlValue, Statement } from "./sql-statements.ts";

/**
 * The database as the service's own repositories take it, so that a command does what a request would do, by the same statements.
 * Only rows come back: how many were changed and Drizzle's own reads are not known from outside.
 */
export function outsideDatabase(target: DatabaseTarget): Database {
  const statements = new WeakMap<D1PreparedStatement, Statement>();

  function prepared(statement: Statement): D1PreparedStatement {
    const made: D1PreparedStatement = {
      bind: (...values: unknown[]) => prepared({ ...statement, values: values.map(sqlValueOf) }),
      all: async <T>() => {
        const [results = []] = await queryAll(target, [statement]);
        return resultOf<T>(results as T[]);
      },
      run: unknown,
      first: unknown,
      raw: unknown,
    };
    statements.set(made, statement);
    return made;
  }

  return databaseOver({
    prepare: (text) => prepared({ text, values: [] }),
    async batch<T>(batch: readonly D1PreparedStatement[]) {
      const answers = await queryAll(
        target,
        batch.map((one) => {
          const statement = statements.get(one);
          if (statement === undefined) throw new Error("The statement was prepared on another database.");
          return statement;
        }),
      );
      // What a statement returns is known to who wrote it, as with the service's own driver.
      return answers.map((results) => resultOf<T>(results as T[]));
    },
  });
}

function resultOf<T>(results: T[]): D1Result<T> {
  return {
    success: true,
    results,
    get meta() {
      return unknown();
    },
  };
}

function unknown(): never {
  throw new Error("wrangler tells rows alone.");
}

function sqlValueOf(value: unknown): SqlValue {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new Error(`A ${typeof value} cannot be written as SQL.`);
}

/** The operator's current action in an account, in the form that the service's repositories record. */
export function deedOn(accountId: string): Deed {
  return { accountId, actor: OPERATOR, requestId: newId("request"), nowMs: Date.now() };
}
