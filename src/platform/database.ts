import { drizzle, type DrizzleD1Database } from "drizzle-orm/d1";

/** Anything statements can be prepared on: the database itself or one session of it. */
export type Connection = Pick<D1Database, "prepare" | "batch">;

/** Drizzle over a connection, with the raw connection for statements that Drizzle cannot say. */
export interface Database {
  readonly orm: DrizzleD1Database;
  readonly raw: Connection;
}

/** Which database answers a session's first statement: the nearest replica, or the primary. */
export type Freshness = "any" | "primary";

/** Opens a session of the database for one request or job. */
export function openDatabase(binding: D1Database, freshness: Freshness): Database {
  return databaseOver(binding.withSession(freshness === "primary" ? "first-primary" : "first-unconstrained"));
}

/** The database at the other end of a connection. */
export function databaseOver(connection: Connection): Database {
  let orm: DrizzleD1Database | undefined;
  return {
    raw: connection,
    // Made when it is asked for: polls do without, and it takes as long as the rest of a request's preparation.
    get orm() {
      // Drizzle's driver calls prepare and batch alone, but its type asks for the whole binding.
      return (orm ??= drizzle(connection as D1Database));
    },
  };
}
