/** Tests whether memory grows with the file: uploads 100 MB and watches the memory of the Worker's process. */
import { setTimeout as delay } from "node:timers/promises";
import { upload, untilFinal, type ApiAccess } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { peakGrowthBytes, serviceProcesses } from "./lib/process-memory.ts";
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
  // Readers ignore bytes after the end of an image, so the job stays small and only the upload counts.
  const file = Buffer.concat([picture, Buffer.alloc(FILE_BYTES - picture.byteLength, 0x5a)]);
  const { alone, together } = await measure(picture, file);
  const claim = "100 MB in with under 40 MB growth of the Worker's process";
  return {
    findings: [
      atMost(LIMIT_MEGABYTES, {
        claim: `${claim}: the first upload`,
        unit: "MB",
        measured: megabytes(alone[0]?.api.growthBytes ?? Number.NaN),
      }),
      atMost(LIMIT_MEGABYTES, {
        claim: `${claim}: median of ${RUNS}`,
        unit: "MB",
        measured: megabytes(median(alone.map(({ api }) => api.growthBytes))),
      }),
      reported({
        claim: `Growth of the Worker's process under ${TOGETHER} uploads of 100 MB at once`,
        unit: "MB",
        measured: megabytes(together.api.growthBytes),
      }),
      reported({
        claim: "Growth of the process of the simulated R2 and D1 by the first upload",
        unit: "MB",
        measured: megabytes(alone[0]?.storage.growthBytes ?? Number.NaN),
      }),
    ],
    details: {
      note: "Resident memory of the service that `npm start` runs, sampled every 20 ms: its peak during the upload less what it was just before. One picture of 1920×1080 had been redacted before. The Worker's process is the workerd of the API; R2 and D1 are simulated in another, as they are other machines when deployed.",
      warmUpBytes: picture.byteLength,
      alone: alone.map(shown),
      together: shown(together),
    },
  };
});

async function measure(picture: File, file: File) {
  return await withService(async (service) => {
    await untilFinal(service, await upload(service, { file: picture, categories: CATEGORIES }));
    const processes = serviceProcesses(service.pids);
    const growth = async (count: number): Promise<{ storage: Growth; api: Growth }> => {
      await delay(SETTLE_MS);
      let mediaIds: string[] = [];
      const [storage, api] = await peakGrowthBytes([processes.storage, processes.api], async () => {
        mediaIds = await uploadTogether(service, file, count);
      });
      for (const mediaId of mediaIds) await untilFinal(service, mediaId);
      if (storage === undefined || api === undefined) throw new Error("A process was not measured.");
      return { storage, api };
    };
    const alone = [];
    for (let run = 1; run <= RUNS; run++) {
      progress(`upload-memory: upload ${run} of ${RUNS}`);
      alone.push(await growth(1));
    }
    progress(`upload-memory: ${TOGETHER} at once`);
    return { alone, together: await growth(TOGETHER) };
  });
}

async function uploadTogether(access: ApiAccess, file: File, count: number): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: count }, async () => await upload(access, { file, categories: CATEGORIES })),
  );
}

function shown({ storage, api }: { storage: Growth; api: Growth }): object {
  const figures = ({ beforeBytes, growthBytes }: Growth): object => ({
    beforeMegabytes: megabytes(beforeBytes),
    growthMegabytes: megabytes(growthBytes),
  });
  return { api: figures(api), storage: figures(storage) };
}

function megabytes(bytes: number): number {
  return rounded(bytes / 1e6, 1);
}
