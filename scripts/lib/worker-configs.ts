import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { z } from "zod";
import { WORKERS, type WorkerScript } from "./deployed-workers.ts";
import type { Environment } from "./environments.ts";
import { ROOT } from "./wrangler.ts";

/** What an environment needs in the account, by name. */
export interface Resources {
  readonly databases: readonly string[];
  readonly buckets: readonly string[];
  /** Dead-letter queues first: a consumer names them. */
  readonly queues: readonly string[];
}

/** The parts of a Worker's configuration that a deployment looks at, as wrangler reads it. */
const configSchema = z.looseObject({
  name: z.string(),
  vars: z.record(z.string(), z.unknown()),
  d1_databases: z.array(z.looseObject({ database_name: z.string(), database_id: z.string().optional() })),
  r2_buckets: z.array(z.looseObject({ bucket_name: z.string() })),
  queues: z.object({
    producers: z.array(z.looseObject({ queue: z.string() })),
    consumers: z.array(z.looseObject({ queue: z.string(), dead_letter_queue: z.string().optional() })),
  }),
});

/** The configuration of a Worker in an environment, or of the local service. */
export function workerConfig(worker: WorkerScript, environment?: Environment): z.output<typeof configSchema> {
  const config: unknown = readConfig(
    { config: join(ROOT, worker.configFile), ...(environment && { env: environment }) },
    { hideWarnings: true },
  );
  return configSchema.parse(config);
}

/** The names of the databases, buckets and queues that the Workers of an environment are bound to. */
export function resourcesOf(environment: Environment): Resources {
  const configs = WORKERS.map((worker) => workerConfig(worker, environment));
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

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)];
}
