/**
 * Measures how fast the service redacts a video. The running service uses its bundled models, with one 720p video in flight
 * that a client polls. Reads the duration of each step from the Worker's log.
 */
import { setTimeout as delay } from "node:timers/promises";
import { upload } from "./lib/client.ts";
import { filmStreet, repeated } from "./lib/clips.ts";
import { processorMs, workerdProcesses } from "./lib/process-memory.ts";
import { atLeast, atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";
import { durationOf, elapsedOf, stepsOf } from "./lib/video-steps.ts";

const SIZE = { width: 1280, height: 720 };
const FRAMES_PER_SECOND = 30;
const CLIP_SECONDS = 10;
/** Nothing of this category is in the clip. */
const ABSENT = ["tattoos"];
/** A region that lasts throughout, so that every segment is rendered. */
const REGION = { category: "passports", box: { x: 0.45, y: 0.45, width: 0.1, height: 0.1 } };
/** The most that a video in which nothing is hidden may take, relative to the same video with a region. */
const COPY_LIMIT = 0.7;
/** How many times each video repeats the clip. */
const LENGTHS = [1, 2, 4];
const CATEGORIES = ["heads", "license_plates", "qr_codes"];
const POLL_INTERVAL_MS = 250;
const PATIENCE_MS = 300_000;
const RENDER_LIMIT = 40;
const PIPELINE_LIMIT = 20;
/** The most that a frame of the longest video may take, relative to a frame of the shortest. */
const GROWTH_LIMIT = 1.2;
const POLL_LIMIT_MS = 250;
const ENGINE_LIMIT_MEGABYTES = 110;
const SIZE_LIMIT = 2.5;
const FINAL = new Set(["completed", "failed", "quota_exceeded"]);

interface Run {
  readonly seconds: number;
  readonly frames: number;
  readonly sourceBytes: number;
  readonly outputBytes: number;
  readonly totalMs: number;
  readonly pollsMs: readonly number[];
  readonly stepsMs: Readonly<Record<string, number>>;
  readonly renderElapsedMs: number;
  readonly looks: number;
  readonly engineMegabytes: number;
  readonly workerProcessorMs: number;
}

await runBenchmark(import.meta.filename, async () => {
  progress("video: filming");
  const clip = await filmStreet({ ...SIZE, seconds: CLIP_SECONDS });
  const { runs, copied, masked } = await withService(async (service) => {
    progress("video: warming up");
    await measure(service, { file: clip, seconds: CLIP_SECONDS });
    const measured: Run[] = [];
    for (const times of LENGTHS) {
      progress(`video: ${times * CLIP_SECONDS} s`);
      measured.push(
        await measure(service, { file: await repeated(clip, times), seconds: times * CLIP_SECONDS }),
      );
    }
    progress("video: nothing to hide");
    const empty = { file: await repeated(clip, 2), seconds: 2 * CLIP_SECONDS, categories: ABSENT };
    const fields = { regions: JSON.stringify([REGION]) };
    return {
      runs: measured,
      masked: await measure(service, { ...empty, fields }),
      copied: await measure(service, empty),
    };
  });
  const sum = (value: (run: Run) => number): number => runs.reduce((total, run) => total + value(run), 0);
  const frames = sum((run) => run.frames);
  const polls = runs.flatMap(({ pollsMs }) => pollsMs);
  const source = `1280×720 at ${FRAMES_PER_SECOND} fps`;
  return {
    findings: [
      atLeast(RENDER_LIMIT, {
        claim: `${source} is rendered at 40 frames a second or more`,
        unit: "frames/s",
        measured: rounded((1000 * frames) / sum((run) => run.renderElapsedMs), 1),
      }),
      atLeast(PIPELINE_LIMIT, {
        claim: `${source} goes through the whole pipeline at 20 frames a second or more, from its upload to completed`,
        unit: "frames/s",
        measured: rounded((1000 * frames) / sum((run) => run.totalMs), 1),
      }),
      atMost(GROWTH_LIMIT, {
        claim: `Work grows linearly: a frame of a video of ${Math.max(...LENGTHS) * CLIP_SECONDS} s takes as much processor time as one of ${CLIP_SECONDS} s`,
        unit: "times",
        measured: rounded(perFrame(runs.at(-1)) / perFrame(runs[0])),
      }),
      atMost(POLL_LIMIT_MS, {
        claim: "GET /media/{id} while a video is processed, 99th percentile",
        unit: "ms",
        measured: rounded(percentile(polls, 0.99), 0),
      }),
      atMost(ENGINE_LIMIT_MEGABYTES, {
        claim: "Memory of the engine, most",
        unit: "MB",
        measured: Math.max(...runs.map(({ engineMegabytes }) => engineMegabytes)),
      }),
      atMost(SIZE_LIMIT, {
        claim: "Size of the output as a multiple of the source's",
        unit: "times",
        measured: rounded(sum((run) => run.outputBytes) / sum((run) => run.sourceBytes)),
      }),
      atMost(COPY_LIMIT, {
        claim:
          "A video in which nothing is hidden, compared with the same video with a region throughout, from upload to completed",
        unit: "times",
        measured: rounded(copied.totalMs / masked.totalMs),
      }),
      reported({
        claim: "The same, its rendering",
        unit: "times",
        measured: rounded(copied.renderElapsedMs / masked.renderElapsedMs),
      }),
      reported({
        claim: "Processor time of the Workers' process, storage and polls with it, for a frame",
        unit: "ms",
        measured: rounded(sum((run) => run.workerProcessorMs) / frames, 1),
      }),
    ],
    details: {
      megabitsPerSecond: rounded((8 * clip.length) / CLIP_SECONDS / 1e6, 2),
      runs: runs.map(detailsOf),
      copied: detailsOf(copied),
      masked: detailsOf(masked),
    },
  };
});

function perFrame(run: Run | undefined): number {
  return run === undefined ? NaN : run.workerProcessorMs / run.frames;
}

function detailsOf({ pollsMs, ...run }: Run): object {
  const pollMedianMs = rounded(median(pollsMs), 0);
  return { ...run, pollMedianMs, pollP99Ms: rounded(percentile(pollsMs, 0.99), 0) };
}

async function measure(
  service: BenchService,
  {
    file,
    seconds,
    categories = CATEGORIES,
    fields = {},
  }: {
    file: Uint8Array<ArrayBuffer>;
    seconds: number;
    categories?: readonly string[];
    fields?: Readonly<Record<string, string>>;
  },
): Promise<Run> {
  const workers = workerdProcesses(service.pids);
  const processorBeforeMs = processorMs(workers);
  const startedAtMs = performance.now();
  const mediaId = await upload(service, { file, filename: "street.mp4", categories, fields });
  const headers = { Authorization: `Bearer ${service.apiKey}` };
  const pollsMs: number[] = [];
  for (let status = ""; !FINAL.has(status);) {
    if (performance.now() - startedAtMs > PATIENCE_MS) throw new Error("The video was not done in time.");
    await delay(POLL_INTERVAL_MS);
    const askedAtMs = performance.now();
    const response = await fetch(`${service.baseUrl}/media/${mediaId}`, { headers });
    ({ status } = (await response.json()) as { status: string });
    pollsMs.push(performance.now() - askedAtMs);
    if (FINAL.has(status) && status !== "completed") throw new Error(`The video ended ${status}.`);
  }
  const totalMs = performance.now() - startedAtMs;
  const workerProcessorMs = processorMs(workers) - processorBeforeMs;
  const output = await fetch(`${service.baseUrl}/media/${mediaId}/download`, { headers });
  const outputBytes = (await output.arrayBuffer()).byteLength;
  // The Worker logs the last step after the client sees the video completed.
  await delay(POLL_INTERVAL_MS);
  const steps = await stepsOf(service.folder, mediaId);
  const kinds = ["analyse", "link", "render", "assemble"];
  return {
    seconds,
    frames: seconds * FRAMES_PER_SECOND,
    sourceBytes: file.length,
    outputBytes,
    totalMs: rounded(totalMs, 0),
    pollsMs,
    stepsMs: Object.fromEntries(kinds.map((kind) => [kind, durationOf(steps, kind)])),
    renderElapsedMs: elapsedOf(steps, "render"),
    looks: steps.filter(({ step }) => step === "analyse").reduce((sum, { looks }) => sum + looks, 0),
    engineMegabytes: rounded(Math.max(...steps.map(({ engineMemoryBytes }) => engineMemoryBytes)) / 1e6, 1),
    workerProcessorMs,
  };
}
