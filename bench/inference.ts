/**
 * Measures the cost of detection: calls the inference service alone over HTTP, and compares it with decoding the same file alone.
 * With `--provider cuda` or `tensorrt`, it measures a GPU against the CPU instead.
 */
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { detect, servedModels, type InferenceAccess } from "./lib/inference.ts";
import { measureProvider, PROVIDERS } from "./lib/inference-provider.ts";
import { withInference } from "./lib/inference-service.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atMost, progress, reported, runBenchmark, type Finding } from "./lib/report.ts";
import { median, rounded, timed } from "./lib/statistics.ts";

/** One frame per request, for each category alone. */
const SIZE = { width: 1920, height: 1080 };
const RUNS = 15;
const LIMITS_MS = { headsAndPlates: 100, all: 300 };
/** One frame per request, large enough that the service analyzes it in tiles. Categories that share one network run cost the same. */
const LARGE_SIZE = { width: 4000, height: 3000 };
const LARGE_RUNS = 3;
const LARGE_CATEGORIES = ["heads", "writing", "qr_codes", "barcodes"];
/** Many frames per request. */
const BATCH_SIZE = { width: 640, height: 360 };
const BATCH_FRAMES = [1, 4, 16];
const BATCH_RUNS = 3;
const HEADS_AND_PLATES = ["heads", "license_plates"];

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Cost {
  readonly categories: string;
  readonly limitMs: number | undefined;
  readonly ms: number;
  readonly msPerMegapixel: number;
}

/** The requested categories: each one alone, and all at once. */
interface Groups {
  readonly single: readonly string[];
  readonly all: readonly string[];
  readonly limitsMs?: typeof LIMITS_MS;
}

interface BatchCost {
  readonly categories: string;
  readonly frames: number;
  readonly msPerFrame: number;
  readonly framesPerSecond: number;
  readonly msPerMegapixel: number;
}

const { values } = parseArgs({ options: { provider: { type: "string" } } });
const provider = PROVIDERS.find((name) => name === values.provider);
if (values.provider !== undefined && provider === undefined) {
  console.error(`--provider is ${values.provider}; it can be ${PROVIDERS.join(", ")}.`);
  process.exit(1);
}
const measure = provider === undefined ? measureCosts : async () => await measureProvider(provider);
await runBenchmark(import.meta.filename, measure, provider);

async function measureCosts() {
  const { models, sizes, batches } = await withInference(
    randomBytes(32).toString("base64url"),
    async (access) => {
      const served = await servedModels(access);
      const all = served.categories;
      return {
        models: served.models,
        sizes: [
          await measureSize(access, { ...SIZE, runs: RUNS }, { single: all, all, limitsMs: LIMITS_MS }),
          await measureSize(access, { ...LARGE_SIZE, runs: LARGE_RUNS }, { single: LARGE_CATEGORIES, all }),
        ],
        batches: await measureBatches(access, all),
      };
    },
  );
  return {
    findings: [
      ...sizes.flatMap(({ size, costs }) =>
        costs.flatMap(({ categories, ms, msPerMegapixel, limitMs }) => [
          limited(limitMs, {
            claim: `Looking for ${categories} at ${size}, one frame`,
            unit: "ms",
            measured: ms,
          }),
          reported({
            claim: `Looking for ${categories} at ${size}, one frame`,
            unit: "ms a megapixel",
            measured: msPerMegapixel,
          }),
        ]),
      ),
      ...batches.map(({ categories, frames, framesPerSecond }) =>
        reported({
          claim: `Looking for ${categories} at ${named(BATCH_SIZE)}, ${frames} frames a request`,
          unit: "frames/s",
          measured: framesPerSecond,
        }),
      ),
    ],
    details: {
      note: "The service is warm: the first look of each kind is not counted. Times are medians and hold the HTTP request and the decoding.",
      models,
      sizes,
      batches: { size: named(BATCH_SIZE), runs: BATCH_RUNS, costs: batches },
    },
  };
}

async function measureSize(
  access: InferenceAccess,
  { runs, ...size }: Size & { runs: number },
  { single, all, limitsMs }: Groups,
) {
  const frame = Buffer.from(await drawStreet({ ...size, seed: 1 }));
  const decodingMs = await medianMs(runs, async () => await sharp(frame).raw().toBuffer());
  const groups = [
    ...single.map((category) => ({ name: category, categories: [category], limitMs: undefined })),
    { name: "heads and plates", categories: HEADS_AND_PLATES, limitMs: limitsMs?.headsAndPlates },
    { name: "all categories", categories: all, limitMs: limitsMs?.all },
  ];
  const costs: Cost[] = [];
  for (const { name, categories, limitMs } of groups) {
    progress(`inference: ${name} at ${named(size)}`);
    const ms = await medianMs(runs, async () => await detect(access, { frames: [frame], categories }));
    const msPerMegapixel = rounded(ms / megapixelsOf(size), 1);
    costs.push({ categories: name, limitMs, ms: rounded(ms, 1), msPerMegapixel });
  }
  return {
    size: named(size),
    runs,
    fileBytes: frame.byteLength,
    decodingAloneMs: rounded(decodingMs, 1),
    costs,
  };
}

async function measureBatches(access: InferenceAccess, all: readonly string[]): Promise<BatchCost[]> {
  const frame = Buffer.from(await drawStreet({ ...BATCH_SIZE, seed: 1 }));
  const groups = [
    { name: "heads and plates", categories: HEADS_AND_PLATES },
    { name: "codes", categories: ["qr_codes", "barcodes"] },
    { name: "all categories", categories: all },
  ];
  const costs: BatchCost[] = [];
  for (const { name, categories } of groups) {
    for (const count of BATCH_FRAMES) {
      progress(`inference: ${name} at ${named(BATCH_SIZE)}, ${count} frames`);
      const frames = Array.from({ length: count }, () => frame);
      const ms = await medianMs(BATCH_RUNS, async () => await detect(access, { frames, categories }));
      const msPerFrame = ms / count;
      costs.push({
        categories: name,
        frames: count,
        msPerFrame: rounded(msPerFrame, 1),
        framesPerSecond: rounded(1000 / msPerFrame),
        msPerMegapixel: rounded(msPerFrame / megapixelsOf(BATCH_SIZE), 1),
      });
    }
  }
  return costs;
}

function limited(limit: number | undefined, finding: Parameters<typeof reported>[0]): Finding {
  return limit === undefined ? reported(finding) : atMost(limit, finding);
}

function megapixelsOf({ width, height }: Size): number {
  return (width * height) / 1e6;
}

function named({ width, height }: Size): string {
  return `${width}×${height}`;
}

/** The median time in milliseconds of several runs, after one warm-up run that does not count. */
async function medianMs(runs: number, work: () => Promise<unknown>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push(await timed(work));
  return median(times);
}
