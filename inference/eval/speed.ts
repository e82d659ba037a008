/**
 * Compares the time that two versions of the service take for the same enlarged photos.
 * `npm run eval:speed -- --data FOLDER [--before MODELS_FOLDER] [--before-checkout FOLDER]`
 *
 *     --data FOLDER       photos with manifest.jsonl; the seed selects some of part eval
 *     --before FOLDER     models of another version, run by this code unless --before-checkout names other code
 *     --before-checkout FOLDER  checkout of another version, with its dependencies installed
 *     --photos N          how many photos (12)
 *     --runs N            how often each is sent (5)
 *     --size WxH          size that photos are enlarged to, cropped where their shape differs (1920x1080)
 *     --seed TEXT         another seed for the selection
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import { median } from "./evaluate.ts";
import { EvaluatedService } from "./service.ts";
import { inSeedOrder, readSet } from "./sets.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    before: { type: "string" },
    "before-checkout": { type: "string" },
    photos: { type: "string", default: "12" },
    runs: { type: "string", default: "5" },
    size: { type: "string", default: "1920x1080" },
    seed: { type: "string", default: "speed" },
  },
});
const { data, before, "before-checkout": checkout } = values;
if (data === undefined || (before === undefined && checkout === undefined))
  throw new Error("Name the photos with --data and the other version with --before or --before-checkout.");

const GROUPS: Readonly<Record<string, readonly Category[]>> = {
  "heads and plates": ["heads", "license_plates"],
  "all thirteen": CATEGORIES,
};

const folder = await mkdtemp(join(tmpdir(), "veil-speed-"));
const services = {
  now: await EvaluatedService.start({}),
  before: await EvaluatedService.start({ modelsFolder: before, checkout }),
};
try {
  const files = await enlargedPhotos(data, folder);
  process.stdout.write(
    `${files.length} photos at ${values.size}, ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}\n\n` +
      "| categories | before, ms | now, ms | ratio | slowest photo's ratio |\n|---|---|---|---|---|\n",
  );
  for (const [name, categories] of Object.entries(GROUPS)) {
    const times: Record<"now" | "before", number>[] = [];
    for (const file of files) times.push(await timesOf(file, categories));
    const [now, then] = [median(times.map((one) => one.now)), median(times.map((one) => one.before))];
    const slowest = Math.max(...times.map((one) => one.now / one.before));
    const row = [name, then.toFixed(0), now.toFixed(0), (now / then).toFixed(2), slowest.toFixed(2)];
    process.stdout.write(`| ${row.join(" | ")} |\n`);
  }
} finally {
  await Promise.all(Object.values(services).map(async (service) => service.stop()));
  await rm(folder, { recursive: true });
}

/** The median time in milliseconds of both services for a photo. They answer in turns, after one call that does not count. */
async function timesOf(
  file: string,
  categories: readonly Category[],
): Promise<Record<"now" | "before", number>> {
  const times: Record<"now" | "before", number[]> = { now: [], before: [] };
  for (let run = 0; run <= Number(values.runs); run += 1) {
    for (const name of ["now", "before"] as const) {
      const { milliseconds } = await services[name].findUsual(file, categories);
      if (run > 0) times[name].push(milliseconds);
    }
  }
  return { now: median(times.now), before: median(times.before) };
}

async function enlargedPhotos(from: string, to: string): Promise<string[]> {
  const manifest = join(from, "manifest.jsonl");
  const options = {
    name: "photos",
    folder: from,
    manifest,
    part: "eval",
    sources: [],
    isEverydayOnly: false,
  };
  const { photos } = await readSet({ ...options, limit: undefined });
  const drawn = inSeedOrder(photos, values.seed).slice(0, Number(values.photos));
  const [width = 1920, height = 1080] = values.size.split("x").map(Number);
  return Promise.all(
    drawn.map(async ({ path }, index) => {
      const file = join(to, `${index}.jpg`);
      await sharp(path).resize(width, height, { fit: "cover" }).jpeg({ quality: 90 }).toFile(file);
      return file;
    }),
  );
}
