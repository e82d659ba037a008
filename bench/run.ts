/**
 * Runs benchmarks: `npm run bench`, `npm run bench -- poll list`, `npm run bench -- inference --provider cuda`. Writes the whole report of
 * each, with every value, to `bench/raw/`, which is not committed, and its summary to `bench/results/`. A run with options writes a
 * summary only if the benchmark names its result after them.
 */
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { summaryText, type Report } from "./lib/report.ts";

const BENCHMARKS = [
  "start",
  "where-time-goes",
  "poll",
  "list",
  "webhooks",
  "upload-to-completed",
  "audit-trail",
  "claims",
  "account-moves",
  "fairness",
  "overload",
  "scale",
  "front-of-house",
  "inference",
  "speech",
  "upload-memory",
  "resumable-uploads",
  "range-memory",
  "redaction",
  "redaction-memory",
  "picture-formats",
  "revisions",
  "verification",
  "video",
  "video-soak",
  "video-length",
  "media-service",
  "video-4k",
  "load/growth",
  "load/service",
  "peers/peers",
];
const RESULTS = join(import.meta.dirname, "results");
const RAW = join(import.meta.dirname, "raw");

const args = process.argv.slice(2);
const optionsAt = args.findIndex((arg) => arg.startsWith("-"));
const asked = optionsAt < 0 ? args : args.slice(0, optionsAt);
const options = args.slice(asked.length);
const unknown = asked.filter((name) => !BENCHMARKS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there are ${BENCHMARKS.join(", ")}.`);
  process.exit(1);
}
if (options.length > 0 && asked.length !== 1) {
  console.error(`Options are for one benchmark, which stands before them; named are ${asked.length}.`);
  process.exit(1);
}
const outcomes: (boolean | undefined)[] = [];
for (const name of asked.length > 0 ? asked : BENCHMARKS) outcomes.push(await run(name));
// A missed claim fails the run, just as a failed benchmark does.
process.exit(outcomes.every((isMet) => isMet === true) ? 0 : 1);

/** Runs one benchmark in its own process. Returns whether its claims are met, or undefined if it failed. */
async function run(name: string): Promise<boolean | undefined> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`), ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  if (exitCode !== 0) {
    console.error(`${name} failed.`);
    return undefined;
  }
  const report = JSON.parse(output) as Report;
  await keep(join(RAW, `${report.benchmark}.json`), output);
  const isUsual = options.length === 0 || report.benchmark !== name;
  if (isUsual) await keep(join(RESULTS, `${report.benchmark}.json`), summaryText(report));
  for (const { claim, measured, unit, limit, isMet } of report.findings) {
    const verdict = isMet === null ? "reported" : isMet ? "met" : "MISSED";
    console.log(
      `${verdict.padEnd(8)} ${claim}: ${measured} ${unit}${limit === null ? "" : ` (limit ${limit})`}`,
    );
  }
  return report.findings.every(({ isMet }) => isMet !== false);
}

async function keep(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
