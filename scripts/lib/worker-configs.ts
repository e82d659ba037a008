import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { z } from "zod";
import { WORKERS, type WorkerScript } from "./deployed-workers.ts";
import type { Environment, Placement } from "./environments.ts";
import { ROOT } from "./wrangler.ts";
import { DATABASE_NAMES, type DatabaseName } from "../../src/ground/vocabulary/database-names.ts";

/** What an environment needs in the account, by name, and where it is placed. */
export interface Resources {
  readonly databases: readonly string[];
  readonly buckets: readonly string[];
  /** Dead-letter queues first: a consumer names them. */
  readonly queues: readonly string[];
}

const route = z.union([
  z.string(),
  z.looseObject({ pattern: z.string(), custom_domain: z.boolean().optional() }),
]);

/** The parts of a Worker's configuration that a deployment uses, as wrangler reads it. */
const configSchema = z.looseObject({
  name: z.string(),
  vars: z.record(z.string(), z.unknown()),
  routes: z.array(route).optional(),
  workers_dev: z.boolean().optional(),
  d1_databases: z.array(
    z.looseObject({
      binding: z.enum(DATABASE_NAMES),
      database_name: z.string(),
      database_id: z.string().optional(),
    }),
  ),
  // Wrangler only warns of a misspelled setting. A misspelled jurisdiction would store files elsewhere.
  r2_buckets: z.array(
    z.strictObject({
      binding: z.string(),
      bucket_name: z.string(),
      jurisdiction: z.enum(["eu", "us", "fedramp"]).optional(),
    }),
  ),
  queues: z.object({
    producers: z.array(z.looseObject({ queue: z.string() })),
    consumers: z.array(z.looseObject({ queue: z.string(), dead_letter_queue: z.string().optional() })),
  }),
});

type WorkerConfig = z.output<typeof configSchema>;

/**
 * The configuration of a Worker in an environment, or of the local service.
 *
 * @param folder where the wrangler files are
 * @throws a sentence that names the file and each fault
 */
export function workerConfig(
  { configFile }: Pick<WorkerScript, "configFile">,
  environment?: Environment,
  folder: string = ROOT,
): WorkerConfig {
  const section = environment === undefined ? configFile : `${configFile}, env.${environment}`;
  const { data, error } = configSchema.safeParse(readConfigFile(configFile, environment, folder));
  if (data !== undefined) return data;
  const faults = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`${section} is not valid. ${faults.join("; ")}.`);
}

function readConfigFile(configFile: string, environment: Environment | undefined, folder: string): unknown {
  try {
    return readConfig(
      { config: join(folder, configFile), ...(environment && { env: environment }) },
      { hideWarnings: true },
    );
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${configFile} cannot be read: ${reason}`, { cause });
  }
}

/** The names of the databases, buckets and queues that the Workers of an environment are bound to. */
export function resourcesOf(environment: Environment, folder?: string): Resources {
  const configs = WORKERS.map((worker) => workerConfig(worker, environment, folder));
  const consumers = configs.flatMap(({ queues }) => queues.consumers);
  return {
    databases: distinct(configs.flatMap((config) => config.d1_databases.map((bound) => bound.database_name))),
    buckets: distinct(configs.flatMap((config) => config.r2_buckets.map((bound) => bound.bucket_name))),
    queues: distinct([
      ...consumers.flatMap((consumer) => consumer.dead_letter_queue ?? []),
      ...consumers.map((consumer) => consumer.queue),
      ...configs.flatMap(({ queues }) => queues.producers.map((producer) => producer.queue)),
    ]),
  };
}

/** The bindings of the databases that an environment has, the main one first. */
export function databaseBindings(environment: Environment, folder?: string): DatabaseName[] {
  const bound = WORKERS.flatMap((worker) => workerConfig(worker, environment, folder).d1_databases);
  return DATABASE_NAMES.filter((name) => bound.some(({ binding }) => binding === name));
}

/**
 * Where an environment's data is stored, and the API Worker's domain.
 *
 * @throws a sentence if the Workers would store data in different places, or if nobody could reach the API Worker
 */
export function placementOf(environment: Environment, folder?: string): Placement {
  const storage = WORKERS.map((worker) => ({
    file: worker.configFile,
    stored: storageOf(workerConfig(worker, environment, folder)),
  }));
  const [first] = storage;
  const other = storage.find(({ stored }) => JSON.stringify(stored) !== JSON.stringify(first?.stored));
  if (first !== undefined && other !== undefined) {
    throw new Error(
      `${first.file} and ${other.file} name different storage for ${environment}: ${inWords(first.stored)}, and ` +
        `${inWords(other.stored)}. All Workers of an environment need the same databases, bucket and jurisdiction.`,
    );
  }
  return { domain: domainOf(environment, folder), jurisdiction: first?.stored.jurisdiction };
}

interface Storage {
  /** Each database with its binding. */
  readonly databases: string;
  readonly bucket: string | undefined;
  readonly jurisdiction: string | undefined;
}

function storageOf({ d1_databases: databases, r2_buckets: [bucket] }: WorkerConfig): Storage {
  return {
    databases: databases
      .map(({ binding, database_name: name }) => `${name} (${binding})`)
      .toSorted()
      .join(" and "),
    bucket: bucket?.bucket_name,
    jurisdiction: bucket?.jurisdiction,
  };
}

function inWords({ databases, bucket, jurisdiction }: Storage): string {
  return `database ${databases}, bucket ${bucket}, jurisdiction ${jurisdiction ?? "none"}`;
}

function domainOf(environment: Environment, folder: string | undefined): string | undefined {
  const api = WORKERS.find(({ kind }) => kind === "api");
  if (api === undefined) return undefined;
  const { routes = [], workers_dev: hasAddress } = workerConfig(api, environment, folder);
  const domain = routes.flatMap((one) =>
    typeof one === "object" && one.custom_domain === true ? [one.pattern] : [],
  )[0];
  if (hasAddress !== false || routes.length > 0) return domain;
  throw new Error(
    `${api.configFile}, env.${environment}: workers_dev is false, so the API Worker needs a route, such as ` +
      `routes = [{ pattern = "veil.example.com", custom_domain = true }].`,
  );
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
