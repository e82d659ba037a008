import { setTimeout as delay } from "node:timers/promises";
import { untilEnded, upload } from "../lib/client.ts";
import { processorMs, serviceProcesses } from "../lib/process-memory.ts";
import type { BenchService } from "../lib/service.ts";
import { median, percentile } from "../lib/statistics.ts";
import { databaseState, transactionsBetween } from "./database-growth.ts";
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
