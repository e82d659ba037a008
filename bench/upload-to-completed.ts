/** Measures how long a client waits for a photo: from the start of its upload to `completed`, as a polling client sees it. */
import { upload, untilFinal } from "./lib/client.ts";
import { servedModels } from "./lib/inference.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atMost, progress, runBenchmark } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";

const LIMIT_SECONDS = 0.7;
const RUNS = 20;
const WARM_UP_RUNS = 3;
const SIZE = { width: 1920, height: 1080 };

interface Run {
  readonly uploadMs: number;
  readonly totalMs: number;
}

await runBenchmark(import.meta.filename, async () => {
  const pictures: Buffer<ArrayBuffer>[] = [];
  for (let seed = 1; seed <= RUNS + WARM_UP_RUNS; seed++) {
    pictures.push(Buffer.from(await drawStreet({ ...SIZE, seed })));
  }
  const measured = await withService(async (service) => {
    const all = (await servedModels(service)).categories;
    const sets = [
      { name: "heads and plates", categories: ["heads", "license_plates"], runs: [] as Run[] },
      { name: "codes", categories: ["qr_codes", "barcodes"], runs: [] as Run[] },
      { name: `all ${all.length} categories`, categories: all, runs: [] as Run[] },
    ];
    for (const [index, file] of pictures.entries()) {
      progress(`upload-to-completed: picture ${index + 1} of ${pictures.length}`);
      for (const { categories, runs } of sets) {
        const run = await measure(service, { file, categories });
        if (index >= WARM_UP_RUNS) runs.push(run);
      }
    }
    return sets;
  });
  return {
    findings: measured.map(({ name, runs }) =>
      atMost(LIMIT_SECONDS, {
        claim: `A 1920×1080 JPEG is completed within 0.7 s of the start of its upload, median of ${RUNS}: ${name}`,
        unit: "s",
        measured: rounded(median(runs.map(({ totalMs }) => totalMs)) / 1000, 3),
      }),
    ),
    details: {
      pictureBytes: rounded(median(pictures.map(({ byteLength }) => byteLength)), 0),
      runs: measured.map(({ name, runs }) => ({
        name,
        uploadMedianMs: rounded(median(runs.map(({ uploadMs }) => uploadMs)), 0),
        totalMedianMs: rounded(median(runs.map(({ totalMs }) => totalMs)), 0),
        totalFastestMs: rounded(Math.min(...runs.map(({ totalMs }) => totalMs)), 0),
        totalP95Ms: rounded(
          percentile(
            runs.map(({ totalMs }) => totalMs),
            0.95,
          ),
          0,
        ),
      })),
    },
  };
});

async function measure(
  service: BenchService,
  order: { file: Buffer<ArrayBuffer>; categories: readonly string[] },
): Promise<Run> {
  const startedAtMs = performance.now();
  const mediaId = await upload(service, order);
  const uploadMs = performance.now() - startedAtMs;
  const status = await untilFinal(service, mediaId);
  const totalMs = performance.now() - startedAtMs;
  if (status !== "completed") throw new Error(`A media ended ${status}.`);
  return { uploadMs, totalMs };
}
