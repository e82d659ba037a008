import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { upload, type ApiAccess } from "../lib/client.ts";
import type { BenchService } from "../lib/service.ts";

const CATEGORIES = ["heads", "license_plates"];
const LOG_INTERVAL_MS = 250;
const PATIENCE_MS = 900_000;
/** Clients' polls would take part of the machine, so the ends of jobs are read from the log. */
const jobSchema = z.looseObject({
  time: z.iso.datetime(),
  event: z.literal("image_job"),
  outcome: z.literal("completed"),
  mediaId: z.string(),
  waitedMs: z.number(),
  claimMs: z.number(),
  durationMs: z.number(),
  completionMs: z.number(),
});

type JobEvent = z.output<typeof jobSchema>;

/** What one photo took in the service, in milliseconds. */
export interface PhotoTimes {
  readonly uploadMs: number;
  /** From the end of the upload, when its permit is sent, to a consumer that begins to claim. */
  readonly deliveryMs: number;
  readonly claimMs: number;
  /** From the claim's answer to the start of the completion. */
  readonly workMs: number;
  readonly completionMs: number;
  /** From the start of the upload to the end of the completion. */
  readonly totalMs: number;
}

/** Sends photos one after the other, each when the one before it has ended, and returns what each took. */
export async function measureSingles(
  service: BenchService,
  files: readonly Buffer<ArrayBuffer>[],
): Promise<PhotoTimes[]> {
  const times: PhotoTimes[] = [];
  for (const file of files) times.push(...(await measureBurst(service, [{ access: service, file }])));
  return times;
}

/** Sends all photos at once and returns what each took, in the order given. */
export async function measureBurst(
  { folder }: BenchService,
  photos: readonly { readonly access: ApiAccess; readonly file: Buffer<ArrayBuffer> }[],
): Promise<PhotoTimes[]> {
  const startedAtMs = Date.now();
  const uploads = await Promise.all(
    photos.map(async ({ access, file }) => {
      const mediaId = await upload(access, { file, categories: CATEGORIES });
      return { mediaId, uploadMs: Date.now() - startedAtMs };
    }),
  );
  const jobs = await untilAllEnded(
    folder,
    uploads.map(({ mediaId }) => mediaId),
  );
  return uploads.map(({ mediaId, uploadMs }) => {
    const job = jobs.get(mediaId);
    if (job === undefined) throw new Error(`The job of ${mediaId} is not in the log.`);
    const { waitedMs, claimMs, durationMs, completionMs } = job;
    return {
      uploadMs,
      deliveryMs: waitedMs,
      claimMs,
      workMs: durationMs - claimMs,
      completionMs,
      totalMs: Date.parse(job.time) - startedAtMs,
    };
  });
}

async function untilAllEnded(folder: string, mediaIds: readonly string[]): Promise<Map<string, JobEvent>> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const jobs = await endedJobs(folder);
    if (mediaIds.every((mediaId) => jobs.has(mediaId))) return jobs;
    if (Date.now() > until) throw new Error("Not all photos ended in time.");
    await delay(LOG_INTERVAL_MS);
  }
}

async function endedJobs(folder: string): Promise<Map<string, JobEvent>> {
  const log = await readFile(join(folder, "workers.log"), "utf8");
  const jobs = new Map<string, JobEvent>();
  for (const line of log.split("\n")) {
    // The last line may be half written.
    if (!line.includes('"image_job"') || !line.endsWith("}")) continue;
    const parsed = jobSchema.safeParse(JSON.parse(line));
    if (parsed.success) jobs.set(parsed.data.mediaId, parsed.data);
  }
  return jobs;
}
