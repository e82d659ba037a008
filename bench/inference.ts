/** What does looking cost? The inference service by itself, over HTTP, beside decoding the same file alone. */
import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { detect, servedCategories, type InferenceAccess } from "./lib/inference.ts";
import { withInference } from "./lib/inference-service.ts";
import { drawStreet } from "./lib/pictures.ts";
import { progress, reported, runBenchmark } from "./lib/report.ts";
import { median, rounded, timed } from "./lib/statistics.ts";

const SIZES = [
  { width: 1920, height: 1080 },
  { width: 4000, height: 3000 },
];
const RUNS = 5;
const BATCH_SIZES = [1, 4, 16];
const BATCH_RUNS = 3;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface CategoryCost {
  readonly categories: string;
  readonly ms: number;
  readonly msPerMegapixel: number;
}

interface BatchCost {
  readonly categories: string;
  readonly frames: number;
  readonly msPerFrame: number;
  readonly framesPerSecond: number;
  readonly msPerMegapixel: number;
}

await runBenchmark(import.meta.filename, async () => {
  const results = await withInference(randomBytes(32).toString("base64url"), async (access) => {
    const all = await servedCategories(access);
    const sizes = [];
    for (const size of SIZES) sizes.push(await measureSize(access, size, all));
    return sizes;
  });
  return {
    findings: results.flatMap(({ size, perCategory, batches }) => [
      ...perCategory.map(({ categories, msPerMegapixel }) =>
        reported({
          claim: `Looking for ${categories} at ${size}, one frame`,
          unit: "ms a megapixel",
          measured: msPerMegapixel,
        }),
      ),
      ...batches.map(({ categories, frames, framesPerSecond }) =>
        reported({
          claim: `Looking for ${categories} at ${size}, ${frames} frames a request`,
          unit: "frames/s",
          measured: framesPerSecond,
        }),
      ),
    ]),
    details: { runs: RUNS, batchRuns: BATCH_RUNS, sizes: results },
  };
});

async function measureSize(access: InferenceAccess, { width, height }: Size, all: readonly string[]) {
  const megapixels = (width * height) / 1e6;
  const frame = Buffer.from(await drawStreet({ width, height, seed: 1 }));
  const decodingMs = await medianMs(RUNS, async () => await sharp(frame).raw().toBuffer());
  const perCategory: CategoryCost[] = [];
  for (const category of all) {
    progress(`inference: ${category} at ${width}×${height}`);
    const ms = await medianMs(
      RUNS,
      async () => await detect(access, { frames: [frame], categories: [category] }),
    );
    perCategory.push({
      categories: category,
      ms: rounded(ms, 1),
      msPerMegapixel: rounded(ms / megapixels, 1),
    });
  }
  const groups = [
    { name: "heads and plates", categories: ["heads", "license_plates"] },
    { name: "codes", categories: ["qr_codes", "barcodes"] },
    { name: "all categories", categories: all },
  ];
  const batches: BatchCost[] = [];
  for (const { name, categories } of groups) {
    for (const count of BATCH_SIZES) {
      progress(`inference: ${name} at ${width}×${height}, ${count} frames`);
      const frames = Array.from({ length: count }, () => frame);
      const msPerFrame =
        (await medianMs(BATCH_RUNS, async () => await detect(access, { frames, categories }))) / count;
      batches.push({
        categories: name,
        frames: count,
        msPerFrame: rounded(msPerFrame, 1),
        framesPerSecond: rounded(1000 / msPerFrame),
        msPerMegapixel: rounded(msPerFrame / megapixels, 1),
      });
    }
  }
  const size = `${width}×${height}`;
  return { size, fileBytes: frame.byteLength, decodingAloneMs: rounded(decodingMs, 1), perCategory, batches };
}

/** The median time of some runs after one that is not counted. */
async function medianMs(runs: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push(await timed(work));
  return median(times);
}
