import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const D1_DIRECTORY = "state/v3/d1/miniflare-D1DatabaseObject";
/** SQLite's file format: the header of a write-ahead log, and that of each of its frames. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALT = { from: 16, to: 24 };

/** What a database's file holds, and the writes in its write-ahead log. */
export interface DatabaseState {
  /** Bytes of pages in use: tables and indexes. */
  readonly usedBytes: number;
  /** The log is written anew from its start after a checkpoint, with another salt. */
  readonly salt: string;
  readonly transactions: number;
}

/** Reads the state of the database of the local service in a folder. Another process may be writing it. */
export function databaseState(folder: string): DatabaseState {
  const directory = join(folder, D1_DIRECTORY);
  const name = readdirSync(directory).find((file) => file.endsWith(".sqlite") && file !== "metadata.sqlite");
  if (name === undefined) throw new Error("The service has no database.");
  const file = join(directory, name);
  const log = readFileSync(`${file}-wal`);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const pragma = (what: string): number =>
      Number(Object.values(database.prepare(`PRAGMA ${what}`).get() ?? {})[0]);
    const pageBytes = pragma("page_size");
    return {
      usedBytes: (pragma("page_count") - pragma("freelist_count")) * pageBytes,
      salt: log.subarray(SALT.from, SALT.to).toString("hex"),
      transactions: countTransactions(log, pageBytes),
    };
  } finally {
    database.close();
  }
}

/** The write transactions between two states. Undefined if the log began anew in between. */
export function transactionsBetween(before: DatabaseState, after: DatabaseState): number | undefined {
  return before.salt === after.salt ? after.transactions - before.transactions : undefined;
}

/** Counts the frames that end a transaction: they state the database's size (SQLite, "Database File Format", 4.1). */
export function countTransactions(log: Buffer, pageBytes: number): number {
  const salt = log.subarray(SALT.from, SALT.to);
  let count = 0;
  for (
    let at = LOG_HEADER_BYTES;
    at + FRAME_HEADER_BYTES <= log.length && log.subarray(at + 8, at + 16).equals(salt);
    at += FRAME_HEADER_BYTES + pageBytes
  )
    if (log.readUInt32BE(at + 4) > 0) count++;
  return count;
}
