import { setTimeout as delay } from "node:timers/promises";
import { openBytes } from "../../src/pixels/redaction/bytes/byte-source.ts";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { untilFinal, upload } from "./client.ts";
import { detect, networksMs } from "./inference.ts";
import { eventsOf, measureOf } from "./log-events.ts";
import { drawStreet } from "./pictures.ts";
import { processorMs, serviceProcesses } from "./process-memory.ts";
import { atMost, progress, reported, type Finding } from "./report.ts";
import type { BenchService } from "./service.ts";
import { median, rounded, timed } from "./statistics.ts";
import { acceptWasmModules } from "./wasm-modules.ts";
import type { Step } from "./step-table.ts";

const SIZE = { width: 1920, height: 1080 };
const CATEGORIES = ["heads", "license_plates"];
const RUNS = 15;
const WARM_UP_RUNS = 4;
/** The log is written a moment after the client sees the result. */
const LOG_DELAY_MS = 200;
const LIMIT = 1.6;
const NETWORKS_LIMIT = 1.5;

/** Regions about as large as those that are found in a street. */
const REGIONS: readonly Region[] = Array.from({ length: 7 }, (_, index): Region => {
  const box = [0.06 + index * 0.13, 0.6, 0.05, 0.08] as const;
  return { category: "heads", shape: "ellipse", box };
});

/** What was followed: its steps, and the figures about it. */
export interface Followed {
  readonly title: string;
  readonly steps: readonly Step[];
  readonly totalMs: number;
  readonly findings: readonly Finding[];
  readonly details: object;
}

/** One photo's way through the service, in milliseconds. */
interface Run {
  readonly totalMs: number;
  readonly upload: Readonly<Record<"requestMs" | "receiveMs" | "acceptMs" | "restMs", number>>;
  readonly job: Readonly<Record<(typeof JOB_MEASURES)[number], number>>;
  readonly answersMs: readonly number[];
  /** The same photo sent to the detector alone, and how long its networks ran for it. */
  readonly detectorMs: number;
  readonly networksMs: number;
  readonly kernelMs: number;
  readonly processorMs: Readonly<Record<"inference" | "storage" | "api" | "jobs", number>>;
}

const JOB_MEASURES = [
  "waitedMs",
  "claimMs",
  "conversionMs",
  "detectionMs",
  "redactionMs",
  "verificationMs",
  "thumbnailMs",
  "completionMs",
] as const;

/** Follows photos one after the other, each on an idle service, and returns the medians of their steps. */
export async function followPhotos(service: BenchService): Promise<Followed> {
  const runs: Run[] = [];
  for (let seed = 1; seed <= RUNS + WARM_UP_RUNS; seed++) {
    const run = await followPhoto(service, Buffer.from(await drawStreet({ ...SIZE, seed })));
    if (seed > WARM_UP_RUNS) runs.push(run);
    progress(`where-time-goes: photo ${seed} of ${RUNS + WARM_UP_RUNS}`);
  }
  const middle = (value: (run: Run) => number): number => median(runs.map(value));
  const totalMs = middle((run) => run.totalMs);
  const detectorMs = middle((run) => run.detectorMs);
  const networkMs = middle((run) => run.networksMs);
  const kernelMs = middle((run) => run.kernelMs);
  const looking = {
    limitMs: detectorMs,
    limitOf: `the detector alone; its networks ${networkMs.toFixed(0)} ms`,
  };
  const steps: Step[] = [
    { step: "Upload: received and hashed", ms: middle((run) => run.upload.receiveMs) },
    { step: "Upload: stored, recorded and queued", ms: middle((run) => run.upload.acceptMs) },
    {
      step: "Upload: authentication, room in the queue, checks, permit",
      ms: middle((run) => run.upload.restMs),
    },
    { step: "Waiting for a worker", ms: middle((run) => run.job.waitedMs) },
    { step: "Claim", ms: middle((run) => run.job.claimMs) },
    { step: "Order and conversion", ms: middle((run) => run.job.conversionMs) },
    { step: "Detection", ms: middle((run) => run.job.detectionMs), ...looking },
    {
      step: "Painting, with the reads and the write of storage",
      ms: middle((run) => run.job.redactionMs),
      limitMs: kernelMs,
      limitOf: "the kernel alone",
    },
    {
      step: "Second reading, with the thumbnail beside it",
      ms: middle((run) => run.job.verificationMs),
      ...looking,
    },
    { step: "Second thumbnail", ms: middle((run) => run.job.thumbnailMs) },
    { step: "Completion", ms: middle((run) => run.job.completionMs) },
  ];
  const knownMs = steps.reduce((sum, { ms }) => sum + ms, 0);
  steps.push({ step: "HTTP, until the client's poll sees it", ms: totalMs - knownMs });
  const storageMs = middle(
    ({ upload: { receiveMs, acceptMs }, job: { claimMs, completionMs } }) =>
      receiveMs + acceptMs + claimMs + completionMs,
  );
  const partsMs = 2 * detectorMs + kernelMs + storageMs;
  return {
    title: "A 1920×1080 JPEG, heads and plates",
    steps,
    totalMs,
    findings: [
      atMost(LIMIT, {
        claim: `A photo on an idle service takes at most ${LIMIT} times the sum of its parts, from its upload to completed: the detector's two answers, the kernel, and storage`,
        unit: "times",
        measured: rounded(totalMs / partsMs),
      }),
      atMost(NETWORKS_LIMIT, {
        claim: `The detector's answer takes at most ${NETWORKS_LIMIT} times its networks, the detector's and the second look's`,
        unit: "times",
        measured: rounded(detectorMs / networkMs),
      }),
      reported({ claim: "A photo, in all", unit: "ms", measured: rounded(totalMs, 0) }),
      ...steps.map(({ step, ms }) =>
        reported({ claim: `A photo: ${step}`, unit: "ms", measured: rounded(ms, 0) }),
      ),
      reported({ claim: "The detector's answer alone", unit: "ms", measured: rounded(detectorMs, 0) }),
      reported({ claim: "Its networks alone", unit: "ms", measured: rounded(networkMs, 0) }),
      reported({ claim: "The kernel alone", unit: "ms", measured: rounded(kernelMs, 0) }),
      ...(["inference", "storage", "api", "jobs"] as const).map((part) =>
        reported({
          claim: `Processor time of a photo: ${part}`,
          unit: "ms",
          measured: rounded(
            middle((run) => run.processorMs[part]),
            0,
          ),
        }),
      ),
    ],
    details: { runs, storageMs: rounded(storageMs, 0) },
  };
}

async function followPhoto(service: BenchService, file: Buffer<ArrayBuffer>): Promise<Run> {
  const alone = { frames: [file], categories: CATEGORIES };
  const networksBeforeMs = await networksMs(service);
  const detectorMs = await timed(async () => {
    await detect(service, alone);
  });
  const networksAfterMs = await networksMs(service);
  const kernelMs = await timed(async () => {
    await paint(file);
  });
  const processes = Object.entries(serviceProcesses(service.pids)).map(
    ([part, pids]) => [part, [pids].flat()] as const,
  );
  const before = processes.map(([, pids]) => processorMs(pids));
  const startedAtMs = performance.now();
  const mediaId = await upload(service, { file, categories: CATEGORIES });
  const requestMs = performance.now() - startedAtMs;
  const status = await untilFinal(service, mediaId);
  const totalMs = performance.now() - startedAtMs;
  if (status !== "completed") throw new Error(`A photo ended ${status}.`);
  await delay(LOG_DELAY_MS);
  const used = processes.map(([part, pids], index) => [part, processorMs(pids) - (before[index] ?? 0)]);
  const events = await eventsOf(service.folder, mediaId);
  const request = events.find(({ event, receiveMs }) => event === "request" && receiveMs !== undefined);
  const job = events.find(({ event, outcome }) => event === "image_job" && outcome === "completed");
  const [receiveMs, acceptMs] = [measureOf(request, "receiveMs"), measureOf(request, "acceptMs")];
  return {
    totalMs,
    upload: {
      requestMs,
      receiveMs,
      acceptMs,
      restMs: measureOf(request, "durationMs") - receiveMs - acceptMs,
    },
    job: Object.fromEntries(JOB_MEASURES.map((name) => [name, measureOf(job, name)])) as Run["job"],
    answersMs: events
      .filter(({ event }) => event === "inference_call")
      .map((event) => measureOf(event, "durationMs")),
    detectorMs,
    networksMs: networksAfterMs - networksBeforeMs,
    kernelMs,
    processorMs: Object.fromEntries(used) as Run["processorMs"],
  };
}

async function paint(file: Uint8Array): Promise<void> {
  acceptWasmModules();
  const { redactJpeg } = await import("../../src/pixels/redaction/jpeg/jpeg.ts");
  const { chunks } = await redactJpeg({ open: openBytes(file), regions: REGIONS, method: "blur" });
  for await (const chunk of chunks()) void chunk.byteLength;
}
