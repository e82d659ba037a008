/** Runs the whole service on this machine: `npm start`, `npm start -- --fresh`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { randomToken, toHex } from "../src/ground/platform/ids.ts";
import {
  LOCAL_DIRECTORY,
  STATE_DIRECTORY,
  localSecrets,
  readLocalAccount,
  readService,
  writeService,
  type LocalAccount,
} from "./lib/local.ts";
import { checkPort, commandOf, freePort, signalGroup } from "./lib/processes.ts";
import { wrongOrigins } from "./lib/origins.ts";
import { makePrivate, writePrivately } from "./lib/private-files.ts";
import { Supervisor } from "./lib/supervisor.ts";
import { WORKERS } from "./lib/deployed-workers.ts";
import { bundleWorkers } from "./lib/worker-bundles.ts";
import { checkDataFolder, deleteData } from "./local/data-folder.ts";
import { checkUpgradable } from "./local/migration-files.ts";
import type { LocalVariables } from "./local/runtimes.ts";
import { ROOT } from "./lib/wrangler.ts";

const HELP = `Usage: npm start [-- --fresh]

Runs the whole service on this machine until Ctrl+C.

  --fresh    forget the data of earlier runs

Environment:
  PORT       port of the API and the dashboard; by default that of the last run, or a free one
  VEIL_DIR   folder of the data; by default .veil. It must be empty, or made by npm start`;

const PARENT_CHECK_MS = 500;
const PORT_ATTEMPTS = 10;
const PORT_RETRY_MS = 300;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      fresh: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return;
  }
  checkOrigins(process.env["CORS_ORIGINS"]);
  await checkDataFolder(LOCAL_DIRECTORY);
  await stopLeftovers();
  if (values.fresh) await deleteData(LOCAL_DIRECTORY);
  await checkUpgradable(STATE_DIRECTORY);
  writePrivately();
  await mkdir(LOCAL_DIRECTORY, { recursive: true });
  await makePrivate(LOCAL_DIRECTORY);
  const inferenceToken = toHex(crypto.getRandomValues(new Uint8Array(32)));
  const port = await apiPort(process.env["PORT"]);
  const inferencePort = await freePort();
  const inferenceUrl = `http://127.0.0.1:${inferencePort}`;
  const variablesFile = join(LOCAL_DIRECTORY, "workers.json");

  const supervisor = new Supervisor({
    port,
    inferencePort,
    inferenceToken,
    variablesFile,
  });
  stopOnSignals(supervisor);
  console.log("Starting Veil: the database, the inference service and the Workers …");
  try {
    await startAll(supervisor, {
      port,
      inferenceUrl,
      inferenceToken,
      variablesFile,
    });
  } catch (error) {
    // If the start fails, the parts that have started must end too.
    await supervisor.stop();
    throw error;
  }
}

interface Addresses {
  readonly port: number;
  readonly inferenceUrl: string;
  readonly inferenceToken: string;
  readonly variablesFile: string;
}

/** Starts the parts in order, and prints their addresses once all of them answer. */
async function startAll(
  supervisor: Supervisor,
  { port, inferenceUrl, inferenceToken, variablesFile }: Addresses,
): Promise<void> {
  supervisor.startInference();
  await bundleWorkers(WORKERS);
  const variables = {
    INFERENCE_URL: inferenceUrl,
    INFERENCE_TOKEN: inferenceToken,
  };
  const signInToken = randomToken();
  const appVersion = process.env["npm_package_version"] ?? "unknown";
  const { authSecret, webhookSecretKey } = await localSecrets();
  const localVariables: LocalVariables = {
    jobs: variables,
    api: {
      ...variables,
      LOCAL_DEVELOPMENT: "true",
      CORS_ORIGINS: process.env["CORS_ORIGINS"] ?? "",
      WEBHOOK_SECRET_KEYS: webhookSecretKey,
      SIGN_UP: "open",
      AUTH_SECRET: authSecret,
      LOCAL_SIGN_IN_TOKEN: signInToken,
      LOCAL_APP_VERSION: appVersion,
      LOCAL_NODE_VERSION: process.versions.node,
    },
  };
  await writeFile(variablesFile, JSON.stringify(localVariables), { mode: 0o600 });
  supervisor.startWorkers();
  await supervisor.ready();
  const account = await readLocalAccount();
  if (account === undefined) throw new Error(`The Workers have left no account in ${LOCAL_DIRECTORY}.`);

  const origin = `http://127.0.0.1:${port}`;
  const signInUrl = `${origin}/dashboard/enter?token=${signInToken}`;
  const describe = async (): Promise<void> => {
    await writeService({
      baseUrl: `${origin}/api/v1`,
      dashboardUrl: `${origin}/dashboard`,
      signInUrl,
      apiKey: account.apiKey,
      inferenceUrl,
      inferenceToken,
      pids: [process.pid, ...supervisor.pids],
    });
  };
  supervisor.onRestart(describe);
  await describe();
  printWelcome(origin, signInUrl, account);
}

/** @throws Error if an origin can never match, before anything is created */
function checkOrigins(text: string | undefined): void {
  const fault = text === undefined ? undefined : wrongOrigins(text);
  if (fault !== undefined) throw new Error(`CORS_ORIGINS is ${JSON.stringify(text)}. ${fault}`);
}

/**
 * Chooses the API's port: the one in `text`, or else that of the last run, so that saved addresses still work, or else a free one.
 *
 * @throws Error if the text is not a port, or another program listens there
 */
async function apiPort(text: string | undefined): Promise<number> {
  if (text === undefined) return (await lastPort()) ?? (await freePort());
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`PORT is ${JSON.stringify(text)}; expected a whole number from 1 to 65535.`);
  for (let attempt = 1; ; attempt++) {
    try {
      await checkPort(port);
      return port;
    } catch (cause) {
      // Processes of an earlier run have been told to end, which may take a moment.
      if (attempt < PORT_ATTEMPTS) await delay(PORT_RETRY_MS);
      else {
        throw new Error(
          `PORT is ${port}, which is in use or not allowed. Choose another, or leave PORT unset.`,
          { cause },
        );
      }
    }
  }
}

/** The API's port in the last run; undefined if there was none, or something else listens there now. */
async function lastPort(): Promise<number | undefined> {
  const service = await readService();
  if (service === undefined) return undefined;
  const port = Number(new URL(service.baseUrl).port);
  return await checkPort(port).then(
    () => port,
    () => undefined,
  );
}

/** Ends the processes that a killed earlier run left. Its description lists them. */
async function stopLeftovers(): Promise<void> {
  const [parent, ...children] = (await readService())?.pids ?? [];
  if (
    parent !== undefined &&
    parent !== process.pid &&
    commandOf(parent)?.includes("scripts/start.ts") === true
  ) {
    throw new Error(`Veil is already running here as process ${parent}; stop it first.`);
  }
  for (const pid of children) {
    const command = commandOf(pid);
    // The system may have given the process ID to another program.
    if (command === undefined || command.includes(ROOT)) signalGroup(pid, "SIGKILL");
  }
}

function stopOnSignals(supervisor: Supervisor): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    console.log("\nStopping …");
    supervisor.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // A killed npm forwards no signal. A new parent means that nobody is left to stop this process.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_CHECK_MS).unref();
}

function printWelcome(origin: string, signInUrl: string, { apiKey }: LocalAccount): void {
  console.log(`
Veil is running.

  Dashboard  ${signInUrl}
  API        ${origin}/api/v1
  Reference  ${origin}/docs
  API key    ${apiKey}

Redact a photo:

  curl -H "Authorization: Bearer ${apiKey}" -F file=@photo.jpg -F "categories[]=heads" -F "categories[]=license_plates" ${origin}/api/v1/media/redact
  npx veil redact photo.jpg --categories heads,license_plates -o redacted.jpg

Press Ctrl+C to stop. Data is kept in ${LOCAL_DIRECTORY}.`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
