import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";

/** Anything statements can be prepared on: the database itself or one session of it. */
export type Connection = Pick<D1Database, "prepare" | "batch">;

/** Drizzle over a connection, and the raw connection for statements that Drizzle cannot express. */
export interface Database {
  readonly orm: DrizzleD1Database;
  readonly raw: Connection;
}

/** Which database serves a session's first statement: the nearest replica, or the primary. */
export type Freshness = "any" | "primary";

/** Opens a session of the database for one request or job. */
export function openDatabase(binding: D1Database, freshness: Freshness): Database {
  return databaseOver(binding.withSession(freshness === "primary" ? "first-primary" : "first-unconstrained"));
}

/** Wraps a connection as a database. */
export function databaseOver(connection: Connection): Database {
  let orm: DrizzleD1Database | undefined;
  return {
    raw: connection,
    // Created on first use. Polls do without it, and creating it takes as long as the rest of a request's setup.
    get orm() {
      // Drizzle's driver calls only prepare and batch, but its type requires the whole binding.
      return (orm ??= drizzle(connection as D1Database));
    },
  };
}
