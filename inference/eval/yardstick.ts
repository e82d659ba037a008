/**
 * The yardstick measures a change to the models in one command.
 * `npm run yardstick -- --data FOLDER --out FOLDER`
 *
 *     --data FOLDER       photos with manifest.jsonl
 *     --out FOLDER        folder for yardstick.md, yardstick.json, the answers, and the sheets
 *     --labels FILE       manifest with the labels by eye (those of the repository)
 *     --limit N           at most N labeled photos, and at most N everyday ones
 *     --before FOLDER     models of another version, measured beside the bundled ones
 *     --service FILE      the file that `npm start` writes; if given, also makes sheets of forty everyday photos of today's seed
 *     --seed TEXT         another seed for the selection of the sheets' photos
 *     --python FILE       interpreter with veil_training; if given, also compares second looks with and without each source
 *     --taught FILE FILE, --measured FILE FILE
 *                         proposals and features for --python, given as `--taught P.npz,F.npz`
 */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { evaluate, type DetectorReport } from "./evaluate.ts";
import { lookAt, type DetectorSpec } from "./looks.ts";
import { readSet, readSetByEye } from "./sets.ts";
import { roundNumber, summaryOf } from "./summary.ts";
import { detectorTable } from "./table.ts";
import { yardstickTable } from "./yardstick-table.ts";

const execute = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BY_EYE = join(ROOT, "inference/training/veil_training/by_eye");
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    labels: { type: "string" },
    limit: { type: "string" },
    before: { type: "string" },
    service: { type: "string" },
    seed: { type: "string" },
    python: { type: "string" },
    taught: { type: "string" },
    measured: { type: "string" },
  },
});
const { data, out } = values;
if (data === undefined || out === undefined)
  throw new Error("Name the photos with --data and a folder with --out.");
await mkdir(out, { recursive: true });
const limit = values.limit === undefined ? undefined : Number(values.limit);
const photos = {
  folder: data,
  manifest: join(data, "manifest.jsonl"),
  part: "eval",
  sources: [],
  isEverydayOnly: false,
  limit,
};
const labeled =
  values.labels === undefined
    ? readSetByEye({ ...photos, name: "labeled", byEye: BY_EYE })
    : readSet({ ...photos, name: "labeled", manifest: values.labels });
const sets = await Promise.all([labeled, readSet({ ...photos, name: "everyday", isEverydayOnly: true })]);
const detectors: DetectorSpec[] = [
  { name: "bundled" },
  ...(values.before === undefined ? [] : [{ name: "before", modelsFolder: values.before }]),
];
const reports: DetectorReport[] = [];
for (const detector of detectors) {
  const looks = await lookAt(detector, sets, { file: join(out, "looks.jsonl"), onProgress: console.error });
  reports.push(evaluate(detector.name, looks, sets));
}
const sections = [
  `${sets.map((set) => `${set.photos.length} ${set.name} photos`).join(", ")}; ${cpus()[0]?.model.trim()}, Node ${process.version}.`,
  detectorTable(reports),
  yardstickTable(reports),
  ...(await sourcesSection()),
  ...(await sheetsSection(data, out)),
];
const text = `${sections.join("\n\n")}\n`;
await writeFile(join(out, "yardstick.json"), `${JSON.stringify(reports.map(summaryOf), roundNumber, 2)}\n`);
await writeFile(join(out, "yardstick.md"), text);
process.stdout.write(text);

/** The second look's ranking, with heads trained on other photos of a source, and with heads trained without that source. */
async function sourcesSection(): Promise<string[]> {
  const { python, taught, measured } = values;
  if (python === undefined) return [];
  if (taught === undefined || measured === undefined)
    throw new Error("--python needs --taught and --measured.");
  const command = ["-m", "veil_training", "second-look", "compare", "--manifest", photos.manifest];
  const pairs = ["--taught", ...taught.split(","), "--measured", ...measured.split(",")];
  const { stdout } = await execute(python, [...command, ...pairs], { maxBuffer: MOST_OUTPUT_BYTES });
  return ["Within sources, and with each source left out, on proposals:", stdout.trim()];
}

async function sheetsSection(folder: string, to: string): Promise<string[]> {
  const { service, seed } = values;
  if (service === undefined) return [];
  const sheets = join(to, "sheets");
  const options = ["--data", folder, "--out", sheets, "--service", service];
  const drawn = seed === undefined ? [] : ["--seed", seed];
  const script = join(ROOT, "inference/eval/sheets.ts");
  const { stdout } = await execute(process.execPath, [script, ...options, ...drawn]);
  return [stdout.trim()];
}
