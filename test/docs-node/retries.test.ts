import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as schedules from "../../src/ground/platform/retry-schedules.ts";
import { WORKERS } from "../../scripts/lib/deployed-workers.ts";
import { workerConfig } from "../../scripts/lib/worker-configs.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const UNITS = [
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

/** A time in its largest whole unit, as the page writes it. */
function inWords(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ["ms", 1];
  return `${ms / unitMs} ${unit}`;
}

function listed(delaysMs: readonly number[]): string {
  return delaysMs.map(inWords).join(", ");
}

/** A call's delays: one, or the first of several that double. */
function ofCalls({ attempts, delayMs }: { readonly attempts: number; readonly delayMs: number }) {
  return [String(attempts), `${inWords(delayMs)}${attempts > 2 ? ", doubling" : ""}`] as const;
}

/** The cells of the row that begins with a text. */
async function rowOf(text: string): Promise<string[]> {
  const page = await readFile(join(ROOT, "docs/operating.md"), "utf8");
  const section = page.slice(page.indexOf("## Retries"), page.indexOf("## When something is wrong"));
  const line = section.split("\n").find((one) => one.startsWith(`| ${text} `)) ?? "";
  return line.split("|").map((cell) => cell.trim());
}

const JOBS_MS = schedules.JOB_DELAYS_SECONDS.map((seconds) => seconds * 1000);

test.for([
  ["A photo or a step of a video", String(JOBS_MS.length + 1), listed(JOBS_MS)],
  ["A webhook", String(schedules.WEBHOOK_DELAYS_MS.length + 1), listed(schedules.WEBHOOK_DELAYS_MS)],
  [
    "A probe of a detector",
    "without end",
    `${inWords(schedules.DETECTOR_PROBES.firstMs)}, doubling, at most ${inWords(schedules.DETECTOR_PROBES.longestMs)}`,
  ],
  ["A call to D1 or R2", ...ofCalls(schedules.STORAGE_CALLS)],
  ["A call to the inference service", ...ofCalls(schedules.DETECTOR_CALLS)],
  ["A request for a file", ...ofCalls(schedules.SOURCE_REQUESTS)],
  ["A lookup of a host name", ...ofCalls(schedules.NAME_LOOKUPS)],
  ["A mail", ...ofCalls(schedules.MAIL)],
  ["The deletion of files", "without end", inWords(schedules.DELETION_DELAY_MS)],
] as const)("the page says how %s is tried again", async ([what, attempts, delays]) => {
  const [, , saidAttempts, saidDelays] = await rowOf(what);
  expect(saidAttempts).toBe(attempts);
  expect(saidDelays?.startsWith(delays)).toBe(true);
});

test("the page says how often a message is delivered", async () => {
  const attempts = WORKERS.map((worker) => {
    const [consumer] = workerConfig(worker, "production").queues.consumers;
    return [worker.kind, Number(consumer?.["max_retries"]) + 1] as const;
  });
  const { api, image, video } = Object.fromEntries(attempts);
  expect(image).toBe(video);
  const [, , said] = await rowOf("A message that a Worker did not acknowledge");
  expect(said).toBe(`${image} (${api} for webhooks)`);
});
