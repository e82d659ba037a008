import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { upload } from "./client.ts";
import { residentBytes, serviceProcesses } from "./process-memory.ts";
import { progress } from "./report.ts";
import type { BenchService } from "./service.ts";
import { rounded } from "./statistics.ts";
import { stepsOf, type VideoStep } from "./video-steps.ts";

const SAMPLE_INTERVAL_MS = 4_000;
const PATIENCE_MS = 7_200_000;
const FINAL = new Set(["completed", "failed", "quota_exceeded"]);

/** Memory and storage at one moment while the service redacts a video. */
export interface Sample {
  readonly atMs: number;
  readonly seconds: number;
  readonly workersMegabytes: number;
  /** The same by process: the API's process, and those that run jobs. */
  readonly processesMegabytes: readonly number[];
  readonly inferenceMegabytes: number;
  /** The size of the simulated R2 and D1. */
  readonly storageMegabytes: number;
  readonly storedMegabytes: number;
}

type Measure = "workersMegabytes" | "inferenceMegabytes" | "storageMegabytes" | "storedMegabytes";

/** The results of one video. */
export interface Soak {
  readonly status: string;
  readonly samples: readonly Sample[];
  readonly steps: readonly VideoStep[];
  readonly engineMegabytes: number;
}

/** Uploads a video to a running service and samples its processes every few seconds until the video is done. */
export async function soak(service: BenchService, file: Uint8Array<ArrayBuffer>): Promise<Soak> {
  const { inference, storage, api, jobs } = serviceProcesses(service.pids);
  const stored = (): number => folderMegabytes(join(service.folder, "state"));
  const before = stored();
  const startedAtMs = performance.now();
  const mediaId = await upload(service, { file, filename: "street.mp4", categories: ["license_plates"] });
  const headers = { Authorization: `Bearer ${service.apiKey}` };
  const samples: Sample[] = [];
  let status = "";
  while (!FINAL.has(status) && performance.now() - startedAtMs < PATIENCE_MS) {
    await delay(SAMPLE_INTERVAL_MS);
    const response = await fetch(`${service.baseUrl}/media/${mediaId}`, { headers });
    ({ status } = (await response.json()) as { status: string });
    const processesMegabytes = [api, ...jobs].map((pid) => rounded(residentBytes(pid) / 1e6, 0));
    samples.push({
      atMs: Date.now(),
      seconds: rounded((performance.now() - startedAtMs) / 1000, 0),
      workersMegabytes: processesMegabytes.reduce((sum, value) => sum + value, 0),
      processesMegabytes,
      inferenceMegabytes: rounded(residentBytes(inference) / 1e6, 0),
      storageMegabytes: rounded(residentBytes(storage) / 1e6, 0),
      storedMegabytes: rounded(stored() - before, 0),
    });
    if (samples.length % 15 === 0) progress(JSON.stringify(samples.at(-1)));
  }
  await delay(SAMPLE_INTERVAL_MS);
  samples.push({ ...(samples.at(-1) as Sample), storedMegabytes: rounded(stored() - before, 0) });
  const steps = await stepsOf(service.folder, mediaId);
  const engineBytes = Math.max(...steps.map(({ engineMemoryBytes }) => engineMemoryBytes));
  return { status, samples, steps, engineMegabytes: rounded(engineBytes / 1e6, 1) };
}

/** Returns the largest value of a measure over the samples. */
export function most(samples: readonly Sample[], measure: Measure): number {
  return Math.max(...samples.map((sample) => sample[measure]));
}

/** Returns the peak memory of each process of the Workers, in megabytes. */
export function mostByProcess(samples: readonly Sample[]): number[] {
  return (samples[0]?.processesMegabytes ?? []).map((_, index) =>
    Math.max(...samples.map(({ processesMegabytes }) => processesMegabytes[index] ?? 0)),
  );
}

/**
 * Returns by how many megabytes a measure grew while one kind of step ran: the peak of the last quarter less the peak of the
 * second quarter. The first quarter does not count, since the process then compiles code and allocates buffers once.
 */
export function growthWhile({ samples, steps }: Soak, kind: string, measure: Measure): number {
  const own = steps.filter(({ step }) => step === kind);
  const from = Math.min(...own.map(({ time, durationMs }) => Date.parse(time) - durationMs));
  const to = Math.max(...own.map(({ time }) => Date.parse(time)));
  const between = (start: number, end: number): number =>
    most(
      samples.filter(({ atMs }) => {
        const share = (atMs - from) / (to - from);
        return share >= start && share <= end;
      }),
      measure,
    );
  return between(0.75, 1) - between(0.25, 0.5);
}

function folderMegabytes(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = join(entry.parentPath, entry.name);
    // The service may delete files while this counts them.
    return entry.isFile() ? (statSync(file, { throwIfNoEntry: false })?.size ?? 0) : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}
