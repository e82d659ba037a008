/**
 * Measures detectors on labeled photos: `npm run eval -- --data FOLDER [--data FOLDER …]`.
 *
 *     --data FOLDER       a labeled folder; its manifest is FOLDER/manifest.jsonl
 *     --manifest FILE     manifest for the --data folder in the same position
 *     --name NAME         the folder's name in the report
 *     --part PART         eval (default), train, or any
 *     --by-eye            also measure each folder with our labels by eye, as a separate set
 *     --everyday          only photos that a person checked for absent categories (presence)
 *     --videos            also measure what is painted in videos: filmed photos and the clips of the leak test
 *     --source NAME       only photos of this source; repeatable
 *     --limit N           at most N photos of each folder
 *     --looks FILE        keeps the answers and reuses those already there: for changes of margins, not of detectors
 *     --detector NAMES    a value of MODELS, such as yunet; repeatable (the service's default)
 *     --with-default      also measure the service's default beside the named ones
 *     --out FILE          path of the whole report (bench/raw/eval.json, which is not committed)
 *     --summary FILE      path of its summary (bench/results/eval.json)
 *     --card FILE         Markdown file; replaces its part between `<!-- MARK:begin -->` and `<!-- MARK:end -->`
 *     --mark MARK         name of that part (eval)
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { evaluate, type DetectorReport } from "./evaluate.ts";
import { lookAt } from "./looks.ts";
import { paintedTable, paintedSourceTable, videoTable } from "./painted-table.ts";
import { presenceTable } from "./presence-table.ts";
import { readSet, readSetByEye } from "./sets.ts";
import { roundNumber, summaryOf, summaryText } from "./summary.ts";
import { evaluateVideos, type VideoReport } from "./videos.ts";
import { categoryTable, detectorTable, sizeTable, sourceTable } from "./table.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BY_EYE = join(ROOT, "inference/training/veil_training/by_eye");
const { values } = parseArgs({
  options: {
    data: { type: "string", multiple: true, default: [] },
    manifest: { type: "string", multiple: true, default: [] },
    name: { type: "string", multiple: true, default: [] },
    part: { type: "string", default: "eval" },
    "by-eye": { type: "boolean", default: false },
    everyday: { type: "boolean", default: false },
    videos: { type: "boolean", default: false },
    source: { type: "string", multiple: true, default: [] },
    limit: { type: "string" },
    looks: { type: "string" },
    detector: { type: "string", multiple: true, default: [] },
    "with-default": { type: "boolean", default: false },
    out: { type: "string", default: join(ROOT, "bench/raw/eval.json") },
    summary: { type: "string", default: join(ROOT, "bench/results/eval.json") },
    card: { type: "string" },
    mark: { type: "string", default: "eval" },
  },
});
if (values.data.length === 0) throw new Error("Name at least one labelled folder with --data.");

const folders = values.data.map((folder, i) => ({
  name: values.name[i] ?? basename(resolve(folder)),
  folder,
  manifest: values.manifest[i] ?? join(folder, "manifest.jsonl"),
  part: values.part === "any" ? undefined : values.part,
  sources: values.source,
  isEverydayOnly: values.everyday,
  limit: values.limit === undefined ? undefined : Number(values.limit),
}));
const byEye = values["by-eye"]
  ? folders.map(async (options) =>
      readSetByEye(Object.assign({}, options, { name: `${options.name}, by eye`, byEye: BY_EYE })),
    )
  : [];
const read = await Promise.all([...folders.map(readSet), ...byEye]);
const sets = read.filter(({ photos }) => photos.length > 0);
const own = { name: "bundled", models: undefined };
const named = values.detector.map((models) => ({ name: models, models }));
const detectors = named.length === 0 || values["with-default"] ? [own, ...named] : named;
const date = new Date();
const startedAt = performance.now();
const loadBefore = loadavg()[0];
const reports: DetectorReport[] = [];
let videos: VideoReport | undefined;
await mkdir(dirname(values.out), { recursive: true });
for (const detector of detectors) {
  const looks = await lookAt(detector, sets, { file: values.looks, onProgress: console.error });
  reports.push(evaluate(detector.name, looks, sets));
  // The report is written after each detector, so that an interrupted run leaves its results so far.
  await writeReport();
}
const [firstDetector = own] = detectors;
if (values.videos) {
  videos = await evaluateVideos(firstDetector, sets, console.error);
  await writeReport();
}
const text = markdown();
process.stdout.write(`${text}\n`);
if (values.card !== undefined) await replacePart(values.card, text);

async function writeReport(): Promise<void> {
  const report = {
    date: date.toISOString(),
    machine: { processor: cpus()[0]?.model.trim(), cores: availableParallelism(), node: process.version },
    minutes: (performance.now() - startedAt) / 60_000,
    loadAverage: { before: loadBefore, after: loadavg()[0] },
    sets: sets.map(({ name, manifestSha256, photos }) => ({ name, manifestSha256, photos: photos.length })),
    detectors: reports,
    videos,
  };
  await writeFile(values.out, `${JSON.stringify(report, roundNumber, 2)}\n`);
  await writeFile(values.summary, summaryText({ ...report, detectors: reports.map(summaryOf) }));
}

function markdown(): string {
  const [first] = reports;
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
  return [
    `Measured on ${date.toISOString().slice(0, 10)} on ${sets.map(({ name, photos }) => `${photos.length} photos of ${name}`).join(", ")}; it took ${minutes} min.`,
    detectorTable(reports),
    categoryTable(reports),
    "Presence: share of the photos on which a person looked for a category and did not see it in which it is found, as the service is, and from other confidences on:",
    presenceTable(reports),
    "Painted by the redaction, pixel by pixel, as the service is:",
    paintedTable(reports),
    paintedSourceTable(reports),
    ...(videos === undefined ? [] : ["Painted in videos, through tracks and patches:", videoTable(videos)]),
    "Coverage by the shorter side of the target in pixels of the photo, with the number of targets:",
    first === undefined ? "" : sizeTable(first),
    "By where the photos come from:",
    sourceTable(reports),
  ].join("\n\n");
}

async function replacePart(path: string, table: string): Promise<void> {
  const card = await readFile(path, "utf8");
  const marks = [`<!-- ${values.mark}:begin -->`, `<!-- ${values.mark}:end -->`] as const;
  const [begin, end] = [card.indexOf(marks[0]), card.indexOf(marks[1])];
  if (begin < 0 || end < begin) throw new Error(`${path} has not the marks ${marks.join(" and ")}.`);
  await writeFile(path, `${card.slice(0, begin)}${marks[0]}\n\n${table}\n\n${card.slice(end)}`);
}
