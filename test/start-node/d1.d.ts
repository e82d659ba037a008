import type * as workers from "@cloudflare/workers-types";

/** The types of D1 and queues that the sources of src/ take from the Workers' runtime, for tests that run in Node and have no other of its types. */
declare global {
  type D1Database = workers.D1Database;
  type D1PreparedStatement = workers.D1PreparedStatement;
  type D1Result<Row = unknown> = workers.D1Result<Row>;
  type D1Meta = workers.D1Meta;
  type Queue<Body = unknown> = workers.Queue<Body>;
}
