/** Tests how the local service handles many clients: polls alone, then polls beside clients that upload and download photos. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { untilFinal, upload } from "../lib/client.ts";
import type { Target } from "../lib/http-load.ts";
import { drawStreet } from "../lib/pictures.ts";
import { atMost, progress, reported, runBenchmark } from "../lib/report.ts";
import { withService, type BenchService } from "../lib/service.ts";
import { percentile, rounded } from "../lib/statistics.ts";
import type { PollerFigures, PollerOrder } from "./poller.ts";

const MOST_P99_MS = 100;
const SIZE = { width: 1920, height: 1080 };
const POLLS_PER_SECOND = 50;
const SECONDS = 30;
const CONNECTIONS = 16;
const UPLOADERS = 2;
const DOWNLOADERS = 2;
const PICTURES = 8;
const CATEGORIES = ["heads", "license_plates"];

interface Work {
  readonly latenciesMs: number[];
  errors: number;
}

const picturesDrawn = Array.from({ length: PICTURES }, async (_none, seed) =>
  Buffer.from(await drawStreet({ ...SIZE, seed: seed + 1 })),
);

function orderOf(pictures: readonly Buffer<ArrayBuffer>[], index: number) {
  return { file: pictures[index % pictures.length] ?? Buffer.alloc(0), categories: CATEGORIES };
}

async function poll(targets: readonly Target[]): Promise<PollerFigures> {
  const order: PollerOrder = {
    targets,
    pollsPerSecond: POLLS_PER_SECOND,
    seconds: SECONDS,
    connections: CONNECTIONS,
  };
  const poller = new Worker(new URL("poller.ts", import.meta.url), { workerData: order });
  const [figures] = (await once(poller, "message")) as [PollerFigures];
  return figures;
}

/** Repeats a client's work until it is told to stop, and counts the failures. */
async function keepDoing(work: Work, isOver: () => boolean, act: () => Promise<void>): Promise<void> {
  while (!isOver()) {
    const startedAtMs = performance.now();
    try {
      await act();
      work.latenciesMs.push(performance.now() - startedAtMs);
    } catch {
      work.errors += 1;
    }
  }
}

async function download({ baseUrl, apiKey }: BenchService, mediaId: string): Promise<void> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${baseUrl}/media/${mediaId}/download`, { headers });
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== 200 || byteLength === 0) throw new Error("The download failed.");
}

await runBenchmark(import.meta.filename, async () => {
  const pictures = await Promise.all(picturesDrawn);
  const measured = await withService(async (service) => {
    const known: string[] = [];
    for (let index = 0; index < PICTURES; index++) {
      const mediaId = await upload(service, orderOf(pictures, index));
      await untilFinal(service, mediaId);
      known.push(mediaId);
    }
    const targets = known.map((mediaId): Target => {
      return {
        url: `${service.baseUrl}/media/${mediaId}`,
        headers: { Authorization: `Bearer ${service.apiKey}` },
      };
    });
    progress(`load/service: ${POLLS_PER_SECOND} polls a second alone`);
    const alone = await poll(targets);
    progress("load/service: the same beside uploads and downloads");
    let isOver = false;
    const photos: Work = { latenciesMs: [], errors: 0 };
    const downloads: Work = { latenciesMs: [], errors: 0 };
    let next = 0;
    const clients = [
      ...Array.from({ length: UPLOADERS }, async () =>
        keepDoing(
          photos,
          () => isOver,
          async () => {
            const status = await untilFinal(service, await upload(service, orderOf(pictures, next++)));
            if (status !== "completed") throw new Error(`A media ended ${status}.`);
          },
        ),
      ),
      ...Array.from({ length: DOWNLOADERS }, async (_none, index) =>
        keepDoing(
          downloads,
          () => isOver,
          async () => {
            await download(service, known[(index + next) % known.length] ?? "");
          },
        ),
      ),
    ];
    const beside = await poll(targets);
    isOver = true;
    await Promise.all(clients);
    return { alone, beside, photos, downloads };
  });
  const { alone, beside, photos, downloads } = measured;
  const errors = alone.errors + beside.errors + photos.errors + downloads.errors;
  return {
    findings: [
      atMost(MOST_P99_MS, {
        claim: `${POLLS_PER_SECOND} polls a second beside ${UPLOADERS} clients that upload photos and ${DOWNLOADERS} that download stay under 100 ms: 99th percentile`,
        unit: "ms",
        measured: rounded(percentile(beside.latenciesMs, 0.99), 1),
      }),
      atMost(0, { claim: "No request of any client fails", unit: "requests", measured: errors }),
      reported({
        claim: "The same polls alone: 99th percentile",
        unit: "ms",
        measured: rounded(percentile(alone.latenciesMs, 0.99), 1),
      }),
      reported({
        claim: `Photos completed a second by ${UPLOADERS} clients, beside polls and downloads`,
        unit: "photos a second",
        measured: rounded(photos.latenciesMs.length / SECONDS),
      }),
      reported({
        claim: `Downloads a second by ${DOWNLOADERS} clients, beside polls and uploads`,
        unit: "downloads a second",
        measured: rounded(downloads.latenciesMs.length / SECONDS),
      }),
    ],
    details: {
      seconds: SECONDS,
      pollsAlone: spread(alone.latenciesMs, alone.errors),
      pollsBesidePhotos: spread(beside.latenciesMs, beside.errors),
      uploadToCompleted: spread(photos.latenciesMs, photos.errors),
      downloads: spread(downloads.latenciesMs, downloads.errors),
    },
  };
});

function spread(latenciesMs: readonly number[], errors: number): Record<string, number> {
  const at = (share: number): number => rounded(percentile(latenciesMs, share), 1);
  return {
    requests: latenciesMs.length,
    errors,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  };
}
