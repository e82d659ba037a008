import { setTimeout as delay } from "node:timers/promises";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { untilEnded, upload } from "../lib/client.ts";
import { processorMs, serviceProcesses } from "../lib/process-memory.ts";
import type { BenchService } from "../lib/service.ts";
import { median, percentile } from "../lib/statistics.ts";
import { measureSingles, type PhotoTimes } from "./measure-photos.ts";

const READS = 300;
const PATIENCE_MS = 120_000;
/** Other work on the machine only ever adds to a time, so the fastest tenth is nearest to what the database takes alone. */
const QUIET_SHARE = 0.1;
/** The job's last writes follow its log line. */
const SETTLED_MS = 500;

/** What a write transaction takes, in milliseconds: a claim is one batch of four statements, with the triggers' work. */
export function quietWriteMs(photos: readonly PhotoTimes[]): number {
  return percentile(
    photos.map(({ claimMs }) => claimMs),
    QUIET_SHARE,
  );
}

/** What a poll takes of the database, in milliseconds: the processor time of the storage process. */
export async function readMsOf(service: BenchService, file: Buffer<ArrayBuffer>): Promise<number> {
  const mediaId = await upload(service, { file, categories: ["heads"] });
  await untilEnded(service, mediaId, PATIENCE_MS);
  await delay(SETTLED_MS);
  const { storage } = serviceProcesses(service.pids);
  const beforeMs = processorMs([storage]);
  for (let read = 0; read < READS; read++) await untilEnded(service, mediaId, PATIENCE_MS);
  return (processorMs([storage]) - beforeMs) / READS;
}

/** How many transactions a photo writes, from its upload to the end of its job: the median of photos sent one by one. */
export async function writesAPhotoOf(
  service: BenchService,
  files: readonly Buffer<ArrayBuffer>[],
): Promise<number> {
  const counts: number[] = [];
  for (const file of files) {
    const before = databaseState(service.folder);
    await measureSingles(service, [file]);
    await delay(SETTLED_MS);
    const count = transactionsBetween(before, databaseState(service.folder));
    if (count !== undefined) counts.push(count);
  }
  return median(counts);
}

const D1_DIRECTORY = "state/v3/d1/miniflare-D1DatabaseObject";
/** SQLite's file format: the header of a write-ahead log, and that of each of its frames. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const SALT = { from: 16, to: 24 };

/** What a database's file holds, and the writes in its write-ahead log. */
interface DatabaseState {
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
function transactionsBetween(before: DatabaseState, after: DatabaseState): number | undefined {
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
