/**
 * Runs the Workers of the local service until it is told to stop. `npm start` starts it. The Workers that process jobs run in a process of
 * lower priority, which is restarted when it ends, so that uploads and polls are not affected.
 */
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Miniflare } from "miniflare";
import { log } from "../src/ground/platform/log.ts";
import { createAccount, hasAccount } from "./lib/accounts.ts";
import { endOrphans } from "./lib/processes.ts";
import { readLocalAccount, writeLocalAccount, type LocalAccount } from "./lib/local.ts";
import { migrate } from "./local/migrations.ts";
import {
  REGISTRY_DIRECTORY,
  STARTUP_LOCK,
  forgetJobWorkers,
  localVariablesSchema,
  startApi,
  startJobWorkers,
  startStorage,
} from "./local/runtimes.ts";

const LOCAL_PLAN = "Scale";
/** Local Workers have no cron, so the sweeper is called from here. */
const SWEEP_INTERVAL_MS = 15_000;
/** Long computations must not delay polls (nice, from 0 to 19). */
const BACKGROUND_PRIORITY = 10;

const JOBS_RESTART_MS = 500;
/** The queues whose consumers run in the restartable process, as bindings of the API Worker. */
const JOB_QUEUES = ["IMAGE_JOBS", "VIDEO_JOBS"];
/** Time for the API's Miniflare to notice the consumers' new addresses. */
const CONSUMERS_NOTICED_MS = 2_000;

let isStopping = false;
const { values } = parseArgs({
  options: { port: { type: "string" }, variables: { type: "string", default: "" } },
});
const variables = localVariablesSchema.parse(JSON.parse(await readFile(values.variables, "utf8")));
const runtimes = values.port === undefined ? await runJobs() : await runAll(Number(values.port));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);

async function runAll(port: number): Promise<Miniflare[]> {
  // Entries of a killed run would be mistaken for live processes.
  for (const path of [REGISTRY_DIRECTORY, STARTUP_LOCK]) await rm(path, { recursive: true, force: true });
  const storage = await startStorage();
  const apiStarted = Promise.withResolvers<Miniflare>();
  const wakeConsumers = async (): Promise<void> => {
    await sendWakingPermits(await apiStarted.promise);
  };
  const [{ accountId }] = await Promise.all([prepareDatabase(storage), keepJobsRunning(wakeConsumers)]);
  const api = await startApi({ ...variables.api, LOCAL_ACCOUNT_ID: accountId }, port);
  apiStarted.resolve(api);
  setInterval(() => void sweep(api).catch(console.error), SWEEP_INTERVAL_MS);
  return [api, storage];
}

/**
 * Starts the process of the Workers that process jobs, and restarts it whenever it ends. Resolves once it runs. If it ends before it has
 * ever run, everything ends.
 *
 * @param onRestart called each time the process runs again
 */
async function keepJobsRunning(onRestart: () => Promise<void>): Promise<void> {
  const jobs = fork(import.meta.filename, [`--variables=${values.variables}`]);
  let hasRun = false;
  jobs.once("exit", (code, signal) => {
    if (isStopping) return;
    log("error", "process.ended", { service: "job Workers", reason: String(signal ?? code) });
    if (!hasRun) process.exit(1);
    endOrphans();
    try {
      forgetJobWorkers();
    } catch (error) {
      console.error(error);
    }
    setTimeout(() => {
      void keepJobsRunning(onRestart).then(onRestart).catch(console.error);
    }, JOBS_RESTART_MS);
  });
  await once(jobs, "message");
  hasRun = true;
}

/** Sends a permit to each queue, because permits on their way to the ended process are lost. */
async function sendWakingPermits(api: Miniflare): Promise<void> {
  await delay(CONSUMERS_NOTICED_MS);
  for (const binding of JOB_QUEUES) {
    const queue = await api.getQueueProducer(binding);
    await queue.send({ mediaId: randomUUID(), requestId: `req_${randomUUID()}` });
  }
}

/** Migrates the database and creates the local account. */
async function prepareDatabase(storage: Miniflare): Promise<LocalAccount> {
  const database = await storage.getD1Database("DB");
  await migrate(database);
  const known = await readLocalAccount();
  // The account may have been deleted since.
  if (known !== undefined && (await hasAccount({ open: database }, known.accountId))) return known;
  const account = await createAccount({ open: database }, { name: "Local", plan: LOCAL_PLAN });
  await writeLocalAccount(account);
  return account;
}

/** Gets the Worker again each time, because a reference from before a restart of its workerd can no longer be called. */
async function sweep(api: Miniflare): Promise<void> {
  const worker = await api.getWorker();
  await worker.scheduled();
}

async function runJobs(): Promise<Miniflare[]> {
  process.once("disconnect", stop);
  setPriority(BACKGROUND_PRIORITY);
  const started = await startJobWorkers(variables);
  process.send?.("ready");
  return started;
}

function stop(): void {
  isStopping = true;
  void Promise.allSettled(runtimes.map(async (runtime) => await runtime.dispose())).then(() =>
    process.exit(0),
  );
}
