import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { WorkerScript } from "./deployed-workers.ts";
import type { Environment } from "./environments.ts";
import { WranglerError, type Wrangler } from "./wrangler.ts";

/**
 * Veil's own budget for the API's script, before compression. Cloudflare's limit is twenty times as high, but each new isolate loads the
 * script before its first response and shares its 128 MB of memory with it.
 */
const MAX_API_SCRIPT_BYTES = 3_300_000;
/**
 * Cloudflare's limit (developers.cloudflare.com/workers/platform/limits). The measured time depends on the machine: the API's 64 ms on a
 * quiet core were 268 ms on a shared one.
 */
const MAX_START_UP_MS = 1000;
/** Below this time in milliseconds, no further start is measured. */
const QUICK_START_UP_MS = 100;
/**
 * Cloudflare's size limit for any script, before compression, on each plan. It had limits on the compressed size until 2026-09-04
 * (developers.cloudflare.com/changelog/post/2026-09-04-increased-worker-size-limit).
 */
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024;
/** Other load on the machine only makes starts slower, so the fastest of several is closest to the script's own time. */
const MAX_STARTS = 4;

/** How many starts may time out before the measurement is given up. */
const MAX_TIMEOUTS = 2;

const deployEntrySchema = z.looseObject({
  type: z.literal("deploy"),
  targets: z.array(z.string()).optional(),
  bundle_size: z.object({ raw_bytes: z.number(), gzip_bytes: z.number() }).optional(),
});

/** The entry about a deployment in wrangler's record (`WRANGLER_OUTPUT_FILE_PATH`, one JSON object per line). */
export async function readDeployRecord(file: string): Promise<z.output<typeof deployEntrySchema>> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const entries = lines.map((line) => deployEntrySchema.safeParse(JSON.parse(line)));
  const entry = entries.findLast(({ success }) => success)?.data;
  if (entry === undefined) throw new Error(`wrangler's record ${file} tells of no deployment.`);
  return entry;
}

/** The size of a built script, and how long workerd takes to evaluate it. */
export interface ScriptMeasure {
  readonly worker: WorkerScript;
  readonly sizeBytes: number;
  readonly gzipBytes: number;
  /** Undefined if workerd did not start in time, for example on a busy machine. */
  readonly startUpMs: number | undefined;
}

/** Builds a Worker as it would be deployed, without an account, and starts workerd on the bundle. */
export async function measureScript(
  wrangler: Wrangler,
  worker: WorkerScript,
  { environment, folder }: { environment: Environment; folder: string },
): Promise<ScriptMeasure> {
  const path = (name: string): string => join(folder, `${worker.kind}.${name}`);
  await wrangler(
    [
      "deploy",
      "--dry-run",
      "-c",
      worker.configFile,
      "-e",
      environment,
      `--outdir=${path("files")}`,
      `--outfile=${path("bundle")}`,
    ],
    { environment: { WRANGLER_OUTPUT_FILE_PATH: path("record") } },
  );
  const size = (await readDeployRecord(path("record"))).bundle_size;
  if (size === undefined) throw new Error("wrangler's record has no size of the script.");
  let startUpMs: number | undefined;
  let failures = 0;
  for (let start = 0; start < MAX_STARTS && (startUpMs ?? Infinity) >= QUICK_START_UP_MS; start++) {
    try {
      await wrangler(["check", "startup", `--worker=${path("bundle")}`, `--outfile=${path("profile")}`]);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      if (++failures === MAX_TIMEOUTS) break;
      continue;
    }
    startUpMs = Math.min(startUpMs ?? Infinity, await busyMs(path("profile")));
  }
  return { worker, sizeBytes: size.raw_bytes, gzipBytes: size.gzip_bytes, startUpMs };
}

/** Whether wrangler or its workerd timed out. Any other error is the script's fault. */
function isTimeout(error: unknown): boolean {
  if (!(error instanceof WranglerError)) return false;
  const { killed } = (error.cause ?? {}) as { killed?: boolean };
  return killed === true || /timed? ?out/i.test(error.message);
}

/** The size limit of a Worker's script before compression, and who sets it. */
export function sizeLimitOf({ kind }: WorkerScript): { readonly bytes: number; readonly setBy: string } {
  return kind === "api"
    ? { bytes: MAX_API_SCRIPT_BYTES, setBy: "Veil's own budget, so that isolates start fast" }
    : { bytes: MAX_SCRIPT_BYTES, setBy: "Cloudflare's limit" };
}

/** A sentence for each limit that a script exceeds. */
export function brokenLimits({ worker, sizeBytes, startUpMs }: ScriptMeasure): string[] {
  const { bytes: maxBytes, setBy } = sizeLimitOf(worker);
  const broken: string[] = [];
  if (sizeBytes >= maxBytes) {
    broken.push(
      `The ${worker.kind} Worker has ${sizeBytes} bytes before compression; the limit is ${maxBytes} (${setBy}).`,
    );
  }
  if (startUpMs !== undefined && startUpMs >= MAX_START_UP_MS) {
    broken.push(
      `The ${worker.kind} Worker takes ${startUpMs.toFixed(0)} ms to start; the limit is ${MAX_START_UP_MS}.`,
    );
  }
  return broken;
}

/** The parts of a V8 CPU profile from which the time is added up. Deltas are in microseconds. */
const profileSchema = z.object({
  nodes: z.array(z.object({ id: z.number(), callFrame: z.object({ functionName: z.string() }) })),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

/** The busy time in a CPU profile, in milliseconds. */
async function busyMs(file: string): Promise<number> {
  const { nodes, samples, timeDeltas } = profileSchema.parse(JSON.parse(await readFile(file, "utf8")));
  const idle = new Set(
    nodes.filter(({ callFrame }) => callFrame.functionName === "(idle)").map(({ id }) => id),
  );
  const busyMicroseconds = samples.reduce(
    (sum, node, index) => sum + (idle.has(node) ? 0 : (timeDeltas[index] ?? 0)),
    0,
  );
  return busyMicroseconds / 1000;
}
