/**
 * Tests whether one account's burst delays another account. Sends one photo a second, first alone and then beside a burst of
 * 500 photos from another account.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createAccount } from "../scripts/lib/accounts.ts";
import { untilFinal, upload, type ApiAccess } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";

const MOST_MEDIAN_RATIO = 1.5;
const MOST_P99_RATIO = 3;
const BURST_PHOTOS = Number(process.env["FAIRNESS_BURST"] ?? 500);
const STEADY_PHOTOS = Number(process.env["FAIRNESS_STEADY"] ?? 60);
const INTERVAL_MS = 1_000;
const SIZE = { width: 1280, height: 720 };
const CATEGORIES = ["heads", "license_plates"];
const SIMULTANEOUS_UPLOADS = 4;
const PLAN = "Scale";

await runBenchmark(import.meta.filename, async () => {
  const photo = Buffer.from(await drawStreet({ ...SIZE, seed: 1 }));
  return await withService(async (service) => {
    const steady = await accessAs(service, "Steady");
    const bursting = await accessAs(service, "Burst");
    await untilFinal(steady, await upload(steady, { file: photo, categories: CATEGORIES }));
    progress(`fairness: ${STEADY_PHOTOS} photos alone`);
    const aloneMs = await sendEachSecond(steady, photo);
    progress(`fairness: a burst of ${BURST_PHOTOS}`);
    const last = await burst(bursting, photo);
    progress(`fairness: ${STEADY_PHOTOS} photos beside it`);
    const besideMs = await sendEachSecond(steady, photo);
    const isBurstOver = await isFinal(bursting, last);
    const [p50, p99] = [
      median(besideMs) / median(aloneMs),
      percentile(besideMs, 0.99) / percentile(aloneMs, 0.99),
    ];
    return {
      findings: [
        atMost(MOST_MEDIAN_RATIO, {
          claim: `Beside a burst of ${BURST_PHOTOS} of another account, a photo a second takes at most 1.5 times as long as alone: median`,
          unit: "times alone",
          measured: rounded(p50),
        }),
        atMost(MOST_P99_RATIO, {
          claim: "The same, at most 3 times: 99th percentile",
          unit: "times alone",
          measured: rounded(p99),
        }),
        reported({
          claim: "Whether the burst outlasted the measurement: 1 for yes",
          unit: "",
          measured: isBurstOver ? 0 : 1,
        }),
      ],
      details: {
        photos: STEADY_PHOTOS,
        aloneMs: { median: rounded(median(aloneMs), 0), p99: rounded(percentile(aloneMs, 0.99), 0) },
        besideMs: { median: rounded(median(besideMs), 0), p99: rounded(percentile(besideMs, 0.99), 0) },
      },
    };
  });
});

/** Creates a new account and returns access to it. */
async function accessAs({ baseUrl, folder }: BenchService, name: string): Promise<ApiAccess> {
  const target = { local: { stateDirectory: join(folder, "state") } };
  const { apiKey } = await createAccount(target, { name, plan: PLAN });
  return { baseUrl, apiKey };
}

/**
 * Sends one photo each second, whether or not the previous one is done. Returns how long each took from the start of its upload
 * to its end.
 */
async function sendEachSecond(access: ApiAccess, file: Buffer<ArrayBuffer>): Promise<number[]> {
  const runs: Promise<number>[] = [];
  for (let photo = 0; photo < STEADY_PHOTOS; photo++) {
    runs.push(measureOne(access, file));
    await delay(INTERVAL_MS);
  }
  return await Promise.all(runs);
}

async function measureOne(access: ApiAccess, file: Buffer<ArrayBuffer>): Promise<number> {
  const startedAtMs = performance.now();
  const status = await untilFinal(access, await upload(access, { file, categories: CATEGORIES }));
  if (status !== "completed") throw new Error(`A media ended ${status}.`);
  return performance.now() - startedAtMs;
}

/** Uploads the burst and returns the id of its last photo. */
async function burst(access: ApiAccess, file: Buffer<ArrayBuffer>): Promise<string> {
  let sent = 0;
  let last = "";
  const sender = async (): Promise<void> => {
    while (sent++ < BURST_PHOTOS) last = await upload(access, { file, categories: CATEGORIES });
  };
  await Promise.all(Array.from({ length: SIMULTANEOUS_UPLOADS }, sender));
  return last;
}

async function isFinal({ baseUrl, apiKey }: ApiAccess, mediaId: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/media/${mediaId}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  const { status } = (await response.json()) as { status: string };
  return !["queued", "processing"].includes(status);
}
