import { readdirSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Miniflare, convertV4MiniflareOptions, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from "wrangler";
import { z } from "zod";
import { WORKERS, type WorkerScript } from "../lib/deployed-workers.ts";
import { LOCAL_DIRECTORY, STATE_DIRECTORY } from "../lib/local.ts";
import { bundledModules } from "../lib/worker-bundles.ts";
import { ROOT } from "../lib/wrangler.ts";
import { RuntimeLog, localLine } from "./log-lines.ts";

/** Two segments of a video are rendered at once if there are two processors. More would take CPU time from the detectors. */
const VIDEO_PROCESSES = Math.min(2, availableParallelism());
const VIDEO_QUEUE = "veil-videos";
/** The registry in which workerds find each other's queues and storage. The next run cannot use it. */
export const REGISTRY_DIRECTORY = join(LOCAL_DIRECTORY, "registry");
const INSTANCE_ID = /"instanceId": "([0-9a-f-]+)"/;
/** Laid out as by `wrangler --persist-to`, so that the operator's commands find the same database. */
const STORE_DIRECTORY = join(STATE_DIRECTORY, "v3");
/** Miniflare's lock. Miniflare would wait for a lock that a killed process left. */
export const STARTUP_LOCK = join(STORE_DIRECTORY, ".miniflare-startup.lock");

/**
 * Deployed isolates have 128 MB (Cloudflare Workers' limits); here V8 would let heaps grow to 256 MB before the first full garbage
 * collection, and further after that. Miniflare has no option for flags.
 */
const V8_FLAGS = "--max-semi-space-size=2 --heap-growing-percent=30 --initial-old-space-size=24";
const V8_FLAGS_VARIABLE = "MINIFLARE_WORKERD_V8_FLAGS";

const variablesSchema = z.record(z.string(), z.string());

/** The variables of the API Worker, and those of the Workers that process jobs. */
export const localVariablesSchema = z.object({ api: variablesSchema, jobs: variablesSchema });

export type LocalVariables = z.output<typeof localVariablesSchema>;

/**
 * The simulated R2 and D1 in their own workerd, because they are other machines in a deployment. The first process owns the stored data,
 * so this one is started first.
 */
export async function startStorage(): Promise<Miniflare> {
  const api = await optionsOf("api");
  const file = join(ROOT, "scripts/local/spread-queue.worker.ts");
  return await start({
    name: "veil-local-storage",
    ...(api.d1Databases && { d1Databases: api.d1Databases }),
    ...(api.r2Buckets && { r2Buckets: api.r2Buckets }),
    ...(api.compatibilityDate !== undefined && { compatibilityDate: api.compatibilityDate }),
    modules: true,
    script: stripTypeScriptTypes(await readFile(file, "utf8")),
    queueConsumers: { [VIDEO_QUEUE]: { maxBatchSize: 100, maxBatchTimeout: 0, maxRetries: 3 } },
    queueProducers: Object.fromEntries(videoQueues().map((queue) => [queue, { queueName: queue }])),
  });
}

/** The API Worker, on a port of the loopback address. */
export async function startApi(
  variables: Readonly<Record<string, string>>,
  port: number,
): Promise<Miniflare> {
  return await start({ ...(await optionsOf("api")), bindings: variables }, port);
}

/** The Workers that process jobs. */
export async function startJobWorkers(variables: LocalVariables): Promise<Miniflare[]> {
  const bindings = variables.jobs;
  const image = await optionsOf("image");
  const video = await optionsOf("video");
  return await Promise.all([
    start({ ...image, bindings }),
    ...videoQueues().map(async (queue) => await start(videoProcess({ ...video, bindings }, queue))),
  ]);
}

/**
 * Removes the registry entries of killed job Workers. Miniflare treats a registered Worker as alive until its entry is more than
 * a minute old. Until then, a new Worker with the same name gets no messages.
 */
export function forgetJobWorkers(): void {
  const files = readdirSync(REGISTRY_DIRECTORY);
  for (const worker of [nameOf("image"), ...videoQueues()].filter((name) => files.includes(name))) {
    const [, instanceId = worker] =
      INSTANCE_ID.exec(readFileSync(join(REGISTRY_DIRECTORY, worker), "utf8")) ?? [];
    const left = files.filter((name) => name === worker || name.endsWith(instanceId));
    for (const name of left) rmSync(join(REGISTRY_DIRECTORY, name), { force: true });
  }
}

/** The queues that receive the messages of {@link VIDEO_QUEUE}, one for each process. */
function videoQueues(): string[] {
  return Array.from({ length: VIDEO_PROCESSES }, (_, index) => `${VIDEO_QUEUE}-${index + 1}`);
}

/** The video Worker with its own queue. The first process also consumes the dead letters of all. */
function videoProcess(options: V4WorkerOptions, queue: string): V4WorkerOptions {
  const { [VIDEO_QUEUE]: jobs, ...deadLetters } = options.queueConsumers as Record<string, object>;
  const isFirst = queue === videoQueues()[0];
  return {
    ...options,
    name: queue,
    queueConsumers: { [queue]: { ...jobs }, ...(isFirst ? deadLetters : {}) },
  };
}

async function optionsOf(kind: WorkerScript["kind"]): Promise<V4WorkerOptions> {
  const worker = WORKERS.find((candidate) => candidate.kind === kind);
  if (worker === undefined) throw new Error(`There is no ${kind} Worker.`);
  const { workerOptions } = readWorkerOptions(join(ROOT, worker.configFile));
  const { modulesRules: _, ...options } = workerOptions;
  return { ...options, ...(await bundledModules(worker)), name: nameOf(kind) };
}

function nameOf(kind: WorkerScript["kind"]): string {
  return `veil-${kind}`;
}

async function start(worker: V4WorkerOptions, port = 0): Promise<Miniflare> {
  const shared = {
    host: "127.0.0.1",
    port,
    cf: false,
    log: new RuntimeLog(worker.name ?? "veil"),
    handleStructuredLogs: ({ message }: { message: string }) => {
      console.log(localLine(message));
    },
    unsafeEnableSharedStorage: true,
    unsafeDevRegistryPath: REGISTRY_DIRECTORY,
    resourcePersistencePath: STORE_DIRECTORY,
    isolatedResourcePersistencePath: STORE_DIRECTORY,
  };
  process.env[V8_FLAGS_VARIABLE] ??= V8_FLAGS;
  const instance = new Miniflare({ ...convertV4MiniflareOptions({ ...worker, ...shared }), ...shared });
  await instance.ready;
  return instance;
}
