/**
 * Measures thresholds for `low` and `high` sensitivity and writes them into a model's manifest:
 * `npm run sensitivities -- --data FOLDER --model inference/models/NAME.json [--category NAME …]`.
 *
 *     --data FOLDER       a labeled folder; its manifest is FOLDER/manifest.jsonl
 *     --manifest FILE     manifest for the --data folder in the same position
 *     --model FILE        the manifest to update; --category limits it to some of the manifest's categories
 *     --detector NAMES    a value of MODELS, such as veil-detector (the service's default)
 *     --category NAME     repeatable
 *     --source NAME       only photos of this source; repeatable
 *     --by-eye            use the labels by eye that are never used for training, if there are any
 *     --looks FILE        answers that `npm run eval -- --looks FILE` kept; missing ones are requested
 *     --limit N           at most N photos of each folder
 */
import { basename, join } from "node:path";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { Detection } from "../src/detections/detection.ts";
import { categoriesOf, readManifest } from "../src/models/manifest.ts";
import { judge } from "./judge.ts";
import { readKept } from "./kept-looks.ts";
import type { Photo } from "./labels.ts";
import { chooseThresholds } from "./sensitivity-thresholds.ts";
import { EvaluatedService } from "./service.ts";
import { readSet, readSetByEye } from "./sets.ts";

const BY_EYE = fileURLToPath(new URL("../training/veil_training/by_eye/", import.meta.url));
const { values } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] },
    manifest: { type: "string", multiple: true, default: [] },
    model: { type: "string" },
    detector: { type: "string" },
    category: { type: "string", multiple: true, default: [] },
    source: { type: "string", multiple: true, default: [] },
    "by-eye": { type: "boolean", default: false },
    looks: { type: "string" },
    limit: { type: "string" },
  },
});
if (values.data.length === 0) throw new Error("Name at least one labelled folder with --data.");
if (values.model === undefined) throw new Error("Name the manifest to write with --model.");

const model = await readManifest(values.model);
const wanted = categoriesOf(model).filter(
  (category) => values.category.length === 0 || values.category.includes(category),
);
const photos = (await readPhotos()).filter(({ completeFor }) => wanted.some((one) => completeFor.has(one)));
const answers = await lookAt(photos);
const low = { ...model.sensitivities?.low };
const high = { ...model.sensitivities?.high };
for (const category of wanted) {
  const outcomes = photos.flatMap((photo) => judge(photo, category, answers.get(photo.path) ?? []) ?? []);
  const chosen = chooseThresholds(outcomes, {
    normal: model.thresholds[category] ?? 1,
    floor: model.confidence_floor,
  });
  const figures = JSON.stringify(chosen ?? "too few photos: as normal", (_key, value: unknown) =>
    typeof value === "number" ? Math.round(value * 1000) / 1000 : value,
  );
  process.stdout.write(`${category} ${figures}\n`);
  if (chosen === undefined) continue;
  low[category] = chosen.low;
  high[category] = chosen.high;
}
// Reads the file again without the schema, so that defaults of the schema are not written into it.
const text = z.looseObject({}).parse(JSON.parse(await readFile(values.model, "utf8")));
await writeFile(values.model, `${JSON.stringify({ ...text, sensitivities: { low, high } }, null, 2)}\n`);

async function readPhotos(): Promise<Photo[]> {
  const sets = await Promise.all(
    values.data.map(async (folder, i) => {
      const options = {
        name: basename(folder),
        folder,
        manifest: values.manifest[i] ?? join(folder, "manifest.jsonl"),
        part: "eval",
        sources: values.source,
        isEverydayOnly: false,
        limit: values.limit === undefined ? undefined : Number(values.limit),
      };
      return values["by-eye"] ? readSetByEye({ ...options, byEye: BY_EYE }) : readSet(options);
    }),
  );
  return sets.flatMap((set) => set.photos);
}

async function lookAt(asked: readonly Photo[]): Promise<ReadonlyMap<string, readonly Detection[]>> {
  const kept = await readKept(values.looks, values.detector ?? "bundled");
  const found = new Map(kept.all);
  const missing = asked.filter(({ path }) => !found.has(path));
  if (missing.length === 0) return found;
  const service = await EvaluatedService.start({ models: values.detector });
  try {
    for (const [index, { path }] of missing.entries()) {
      found.set(path, await service.findAll(path, wanted));
      if (index % 50 === 49) process.stderr.write(`${index + 1} of ${missing.length} photos\n`);
    }
    return found;
  } finally {
    await service.stop();
  }
}
