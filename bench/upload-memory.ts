/** Does memory grow with the file? 100 MB in, and the memory of the Worker's process meanwhile. */
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { withSeparateStorage } from "./lib/bare-runtime.ts";
import { upload, untilFinal, type ApiAccess } from "./lib/client.ts";
import { withInference } from "./lib/inference-service.ts";
import { drawStreet } from "./lib/pictures.ts";
import { peakGrowthBytes, workerdProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";

const LIMIT_MEGABYTES = 40;
const FILE_BYTES = 100_000_000;
const RUNS = 3;
const TOGETHER = 5;
const SETTLE_MS = 3_000;
const CATEGORIES = ["qr_codes"];

type File = Buffer<ArrayBuffer>;
type Growth = Awaited<ReturnType<typeof peakGrowthBytes>>[number];

await runBenchmark(import.meta.filename, async () => {
  const picture = Buffer.from(await drawStreet({ width: 1920, height: 1080, seed: 1 }));
  // What follows the end of an image is ignored by whoever reads it, so the job stays small and the upload alone counts.
  const file = Buffer.concat([picture, Buffer.alloc(FILE_BYTES - picture.byteLength, 0x5a)]);
  const worker = await measureWorker(picture, file);
  const service = await measureService(picture, file);
  const firstOfWorker = worker.alone[0];
  return {
    findings: [
      atMost(LIMIT_MEGABYTES, {
        claim: "100 MB in with under 40 MB growth of the Worker's process: the first upload",
        unit: "MB",
        measured: megabytes(firstOfWorker?.worker.growthBytes ?? Number.NaN),
      }),
      atMost(LIMIT_MEGABYTES, {
        claim: `100 MB in with under 40 MB growth of the Worker's process: median of ${RUNS}`,
        unit: "MB",
        measured: megabytes(median(worker.alone.map((growth) => growth.worker.growthBytes))),
      }),
      reported({
        claim: `Growth of the Worker's process under ${TOGETHER} uploads of 100 MB at once`,
        unit: "MB",
        measured: megabytes(worker.together.worker.growthBytes),
      }),
      reported({
        claim: "Growth of the process of the simulated R2 and D1 by the first upload",
        unit: "MB",
        measured: megabytes(firstOfWorker?.storage.growthBytes ?? Number.NaN),
      }),
      reported({
        claim: "Growth of the whole local service, the simulated R2 and D1 included, by the first upload",
        unit: "MB",
        measured: megabytes(totalGrowth(service[0] ?? [])),
      }),
      reported({
        claim: `The same, median of ${RUNS}`,
        unit: "MB",
        measured: megabytes(median(service.map(totalGrowth))),
      }),
    ],
    details: {
      note: "Resident memory, sampled every 20 ms: its peak during the upload less what it was just before. Each process had taken one picture of 1920×1080 before. The Worker's process is the workerd that runs the API Worker and nothing else; R2 and D1 are simulated in another workerd, as they are other machines when deployed. The whole local service is what `npm start` runs: there the Workers and all simulators share one workerd.",
      warmUpBytes: picture.byteLength,
      worker: {
        alone: worker.alone.map(({ worker: api, storage }) => ({
          worker: shown(api),
          storage: shown(storage),
        })),
        together: { worker: shown(worker.together.worker), storage: shown(worker.together.storage) },
      },
      wholeLocalService: service.map((processes) => processes.map(shown)),
    },
  };
});

/** Uploads to a Worker whose R2 and D1 are in another process. Nothing takes the jobs there. */
async function measureWorker(picture: File, file: File) {
  return await withInference(randomBytes(32).toString("base64url"), async (inference) => {
    const variables = { INFERENCE_URL: inference.inferenceUrl, INFERENCE_TOKEN: inference.inferenceToken };
    return await withSeparateStorage(variables, async ({ origin, apiKey, workerPid, storagePid }) => {
      const access = { baseUrl: `${origin}/api/v1`, apiKey };
      await upload(access, { file: picture, categories: CATEGORIES });
      const measure = async (count: number): Promise<{ worker: Growth; storage: Growth }> => {
        await delay(SETTLE_MS);
        const [worker, storage] = await peakGrowthBytes([workerPid, storagePid], async () => {
          await uploadTogether(access, file, count);
        });
        if (worker === undefined || storage === undefined) throw new Error("A process was not measured.");
        return { worker, storage };
      };
      const alone = [];
      for (let run = 1; run <= RUNS; run++) {
        progress(`upload-memory: upload ${run} of ${RUNS} to the Worker by itself`);
        alone.push(await measure(1));
      }
      progress(`upload-memory: ${TOGETHER} at once`);
      return { alone, together: await measure(TOGETHER) };
    });
  });
}

/** Uploads to the whole local service; the growth of each of its workerd processes, upload by upload. */
async function measureService(picture: File, file: File): Promise<Growth[][]> {
  return await withService(async (service) => {
    await untilFinal(service, await upload(service, { file: picture, categories: CATEGORIES }));
    const pids = workerdProcesses(service.pids);
    const growths = [];
    for (let run = 1; run <= RUNS; run++) {
      progress(`upload-memory: upload ${run} of ${RUNS} to the whole service`);
      await delay(SETTLE_MS);
      let mediaIds: string[] = [];
      growths.push(
        await peakGrowthBytes(pids, async () => {
          mediaIds = await uploadTogether(service, file, 1);
        }),
      );
      for (const mediaId of mediaIds) await untilFinal(service, mediaId);
    }
    return growths;
  });
}

async function uploadTogether(access: ApiAccess, file: File, count: number): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => await upload(access, { file, categories: CATEGORIES })),
  );
}

function totalGrowth(processes: readonly Growth[]): number {
  return processes.reduce((sum, { growthBytes }) => sum + growthBytes, 0);
}

function shown({ beforeBytes, growthBytes }: Growth): object {
  return { beforeMegabytes: megabytes(beforeBytes), growthMegabytes: megabytes(growthBytes) };
}

function megabytes(bytes: number): number {
  return rounded(bytes / 1e6, 1);
}
