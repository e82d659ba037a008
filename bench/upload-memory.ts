/** Does memory grow with the file? 100 MB in, and the memory of every workerd of the service meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import { upload, untilFinal } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { peakGrowthBytes, workerdProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";

const LIMIT_MEGABYTES = 40;
const FILE_BYTES = 100_000_000;
const RUNS = 3;
const TOGETHER = 5;
const SETTLE_MS = 5_000;
const CATEGORIES = ["qr_codes"];

await runBenchmark(import.meta.filename, async () => {
  const picture = Buffer.from(await drawStreet({ width: 1920, height: 1080, seed: 1 }));
  // What follows the end of an image is ignored by whoever reads it, so the job stays small and the upload alone counts.
  const file = Buffer.concat([picture, Buffer.alloc(FILE_BYTES - picture.byteLength, 0x5a)]);
  const order = { file, categories: CATEGORIES };
  const results = await withService(async (service) => {
    await untilFinal(service, await upload(service, { file: picture, categories: CATEGORIES }));
    const pids = workerdProcesses(service.pids);
    const measure = async (count: number) => {
      await delay(SETTLE_MS);
      let mediaIds: string[] = [];
      const growth = await peakGrowthBytes(pids, async () => {
        mediaIds = await Promise.all(Array.from({ length: count }, async () => await upload(service, order)));
      });
      for (const mediaId of mediaIds) await untilFinal(service, mediaId);
      return growth;
    };
    const alone = [];
    for (let run = 1; run <= RUNS; run++) {
      progress(`upload-memory: upload ${run} of ${RUNS}`);
      alone.push(await measure(1));
    }
    progress(`upload-memory: ${TOGETHER} at once`);
    return { alone, together: await measure(TOGETHER) };
  });
  return {
    findings: [
      atMost(LIMIT_MEGABYTES, {
        claim: "100 MB in with under 40 MB growth of the Workers' processes: the first upload",
        unit: "MB",
        measured: megabytes(totalGrowth(results.alone[0] ?? [])),
      }),
      atMost(LIMIT_MEGABYTES, {
        claim: `100 MB in with under 40 MB growth of the Workers' processes: median of ${RUNS}`,
        unit: "MB",
        measured: megabytes(median(results.alone.map(totalGrowth))),
      }),
      reported({
        claim: `Growth of the Workers' processes under ${TOGETHER} uploads of 100 MB at once`,
        unit: "MB",
        measured: megabytes(totalGrowth(results.together)),
      }),
    ],
    details: {
      note: "Every workerd of the local service is counted, the simulated R2 and D1 and wrangler's own proxy included.",
      alone: results.alone.map((run) => run.map(shown)),
      together: results.together.map(shown),
    },
  };
});

type Growth = Awaited<ReturnType<typeof peakGrowthBytes>>[number];

function totalGrowth(processes: readonly Growth[]): number {
  return processes.reduce((sum, { growthBytes }) => sum + growthBytes, 0);
}

function shown({ beforeBytes, growthBytes }: Growth): object {
  return { beforeMegabytes: megabytes(beforeBytes), growthMegabytes: megabytes(growthBytes) };
}

function megabytes(bytes: number): number {
  return rounded(bytes / 1e6, 1);
}
