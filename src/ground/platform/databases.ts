import { DATABASE_NAMES, MAIN_DATABASE, type DatabaseName } from "../vocabulary/database-names.ts";

/** A Worker's databases as one of them sees it: `DB` holds the accounts in question, `MAIN_DB` the people, the keys and the directory. */
export type DatabaseBindings = Readonly<
  { DB: D1Database; MAIN_DB: D1Database; DATABASE_NAME: DatabaseName } & Partial<
    Record<Exclude<DatabaseName, "DB">, D1Database | undefined>
  >
>;

const QUEUE_BINDINGS = ["IMAGE_JOBS", "VIDEO_JOBS", "WEBHOOK_JOBS"] as const;

const configs = new WeakMap<DatabaseBindings, Map<DatabaseName, DatabaseBindings>>();

/** Adds the main database under its own name to bindings that were just read. */
export function withMainDatabase<Bindings extends { DB: D1Database }>(
  bindings: Bindings,
): Bindings & { MAIN_DB: D1Database; DATABASE_NAME: DatabaseName } {
  return { ...bindings, MAIN_DB: bindings.DB, DATABASE_NAME: MAIN_DATABASE };
}

/** Whether accounts may be in other databases than the main one. */
export function hasFurtherDatabases(config: DatabaseBindings): boolean {
  return databaseNames(config).length > 1;
}

/** The names of a Worker's databases, the main one first. */
function databaseNames(config: DatabaseBindings): DatabaseName[] {
  return DATABASE_NAMES.filter((name) => name === MAIN_DATABASE || config[name] !== undefined);
}

/** A Worker's databases, the main one first, whichever of them the configuration is for. */
export function databasesOf(config: DatabaseBindings): D1Database[] {
  return databaseNames(config).flatMap(
    (name) => (name === MAIN_DATABASE ? config.MAIN_DB : config[name]) ?? [],
  );
}

/** A Worker's configurations, one for each of its databases, the main one first. @param config the one for the main database */
export function databaseConfigs<Config extends DatabaseBindings>(config: Config): Config[] {
  return databaseNames(config).map((name) => configOf(config, name));
}

/**
 * A Worker's configuration for one of its databases. Messages to its queues name that database, because a message permits a job that waits
 * there. The same arguments give the same object.
 *
 * @param config the one for the main database
 * @param name undefined or null for the main database
 * @throws Error if the Worker is not bound to the database
 */
export function configOf<Config extends DatabaseBindings>(
  config: Config,
  name: DatabaseName | null | undefined,
): Config {
  if (name === null || name === undefined || name === config.DATABASE_NAME) return config;
  const known = configs.get(config)?.get(name);
  // Only objects that were made from `config` are stored under it.
  if (known !== undefined) return known as Config;
  const binding = name === MAIN_DATABASE ? config.MAIN_DB : config[name];
  if (binding === undefined) throw new Error(`The Worker is not bound to the database ${name}.`);
  const made: Config = { ...config, ...queuesNaming(config, name), DB: binding, DATABASE_NAME: name };
  const ofConfig = configs.get(config) ?? new Map<DatabaseName, DatabaseBindings>();
  configs.set(config, ofConfig.set(name, made));
  return made;
}

function queuesNaming(
  config: object,
  database: DatabaseName,
): Partial<Record<(typeof QUEUE_BINDINGS)[number], Queue>> {
  const queues = QUEUE_BINDINGS.map((binding) => {
    const queue = Reflect.get(config, binding) as Queue<object> | undefined;
    return [binding, queue] as const;
  });
  return Object.fromEntries(
    queues.flatMap(([binding, queue]) => (queue === undefined ? [] : [[binding, naming(queue, database)]])),
  );
}

function naming(queue: Queue<object>, database: DatabaseName): Queue<object> {
  return {
    metrics: async () => await queue.metrics(),
    send: async (body, options) => await queue.send({ ...body, database }, options),
    sendBatch: async (messages, options) =>
      await queue.sendBatch(
        Array.from(messages, (message) => ({ ...message, body: { ...message.body, database } })),
        options,
      ),
  };
}
