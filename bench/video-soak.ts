/**
 * Does a long video go through with flat memory? Thirty minutes of 720p through the running service, then nearly sixty:
 * `node bench/video-soak.ts`. Two frames a second, so that it ends within minutes: what could pile up with length, such as segments, samples, tracks and
 * packets, is there in full.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { upload } from "./lib/client.ts";
import { filmStreet, repeated } from "./lib/clips.ts";
import { residentBytes, serviceProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { rounded } from "./lib/statistics.ts";
import { stepsOf } from "./lib/video-steps.ts";

const SIZE = { width: 1280, height: 720 };
const FRAMES_PER_SECOND = 2;
const CLIP_SECONDS = 60;
/** Just under the longest that is taken. */
const MINUTES = 59;
/** A video that goes through before: what every length takes is there then, whichever step takes most. */
const SHORT_MINUTES = 30;
const SAMPLE_INTERVAL_MS = 4_000;
const PATIENCE_MS = 1_800_000;
const ENGINE_LIMIT_MEGABYTES = 110;
/**
 * By how much the four processes of the Workers together may be larger at most with the long video than with the one of half
 * its length: what was let go of lies until it is collected.
 */
const GROWTH_LIMIT_MEGABYTES = 100;
const FINAL = new Set(["completed", "failed", "quota_exceeded"]);

interface Sample {
  readonly seconds: number;
  readonly workersMegabytes: number;
  /** The same by process: the API's, and those that take jobs. */
  readonly processesMegabytes: readonly number[];
  /** The simulated R2 and D1. */
  readonly storageMegabytes: number;
  readonly storedMegabytes: number;
}

await runBenchmark(import.meta.filename, async () => {
  const clip = await filmStreet({
    ...SIZE,
    seconds: CLIP_SECONDS,
    framesPerSecond: FRAMES_PER_SECOND,
    // Uploads end at 100 MB.
    rateFactor: 38,
    grainLevels: 0,
  });
  const short = await repeated(clip, SHORT_MINUTES);
  const video = await repeated(clip, MINUTES);
  progress(`video-soak: ${rounded(video.length / 1e6, 1)} MB`);
  const [before, after] = await withService(async (service) => [
    await soak(service, short),
    await soak(service, video),
  ]);
  const { samples, engineMegabytes, segments } = after;
  return {
    findings: [
      reported({
        claim: `720p videos of ${SHORT_MINUTES} and of ${MINUTES} minutes complete`,
        unit: "videos",
        measured: [before, after].filter(({ status }) => status === "completed").length,
      }),
      atMost(ENGINE_LIMIT_MEGABYTES, {
        claim: "Memory of the engine, most",
        unit: "MB",
        measured: engineMegabytes,
      }),
      atMost(GROWTH_LIMIT_MEGABYTES, {
        claim: `Growth of the Workers' processes together, from the most with ${SHORT_MINUTES} minutes to the most with ${MINUTES}`,
        unit: "MB",
        measured: most(samples, "workersMegabytes") - most(before.samples, "workersMegabytes"),
      }),
      reported({
        claim: "The same of the process of the simulated R2 and D1",
        unit: "MB",
        measured: most(samples, "storageMegabytes") - most(before.samples, "storageMegabytes"),
      }),
      reported({
        claim: "Stored at most, beyond what was stored when it began: source, output and what steps hand on",
        unit: "MB",
        measured: most(samples, "storedMegabytes"),
      }),
      reported({
        claim: "Stored at the end: source and output",
        unit: "MB",
        measured: samples.at(-1)?.storedMegabytes ?? NaN,
      }),
    ],
    details: {
      segments,
      sourceBytes: video.length,
      mostMegabytesByProcess: mostByProcess(samples),
      mostMegabytesByProcessBefore: mostByProcess(before.samples),
      samplesBefore: before.samples,
      samples,
    },
  };
});

function most(
  samples: readonly Sample[],
  measure: "workersMegabytes" | "storageMegabytes" | "storedMegabytes",
): number {
  return Math.max(...samples.map((sample) => sample[measure]));
}

function mostByProcess(samples: readonly Sample[]): number[] {
  return (samples[0]?.processesMegabytes ?? []).map((_, index) =>
    Math.max(...samples.map(({ processesMegabytes }) => processesMegabytes[index] ?? 0)),
  );
}

async function soak(service: BenchService, file: Uint8Array<ArrayBuffer>) {
  const { storage, api, jobs } = serviceProcesses(service.pids);
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
      seconds: rounded((performance.now() - startedAtMs) / 1000, 0),
      workersMegabytes: rounded(
        processesMegabytes.reduce((sum, value) => sum + value, 0),
        0,
      ),
      processesMegabytes,
      storageMegabytes: rounded(residentBytes(storage) / 1e6, 0),
      storedMegabytes: rounded(stored() - before, 0),
    });
    if (samples.length % 15 === 0) progress(JSON.stringify(samples.at(-1)));
  }
  await delay(SAMPLE_INTERVAL_MS);
  samples.push({ ...(samples.at(-1) as Sample), storedMegabytes: rounded(stored() - before, 0) });
  const steps = await stepsOf(service.folder, mediaId);
  return {
    status,
    samples,
    segments: steps.filter(({ step }) => step === "render").length,
    engineMegabytes: rounded(Math.max(...steps.map(({ engineMemoryBytes }) => engineMemoryBytes)) / 1e6, 1),
  };
}

function folderMegabytes(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = join(entry.parentPath, entry.name);
    // Files go away while they are counted.
    return entry.isFile() ? (statSync(file, { throwIfNoEntry: false })?.size ?? 0) : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}
