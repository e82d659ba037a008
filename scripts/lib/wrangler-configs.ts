import {
  ENVIRONMENTS,
  PLACEMENTS,
  checkPlacement,
  type Environment,
  type Placement,
} from "./environments.ts";

type Kind = "api" | "image" | "video";
type Queue = "images" | "videos" | "webhooks";
/** What wrangler reads. The schema that each file names checks it. */
type Configuration = Readonly<Record<string, unknown>>;

/** The file of each Worker. Wrangler finds the first by itself. */
export const CONFIG_FILES: Readonly<Record<Kind, string>> = {
  api: "wrangler.json",
  image: "wrangler.image.json",
  video: "wrangler.video.json",
};

const COMPATIBILITY_DATE = "2026-06-01";
const BINDINGS: Readonly<Record<Queue, string>> = {
  images: "IMAGE_JOBS",
  videos: "VIDEO_JOBS",
  webhooks: "WEBHOOK_JOBS",
};
const PRODUCED: Readonly<Record<Kind, readonly Queue[]>> = {
  api: ["images", "videos", "webhooks"],
  image: ["images", "webhooks"],
  video: ["videos", "webhooks"],
};
const CONSUMED: Readonly<Record<Kind, { queue: Queue; batchSize: number; retries: number }>> = {
  // One invocation holds at most six connections open; waiting for one must not use up an attempt's time.
  api: { queue: "webhooks", batchSize: 5, retries: 100 },
  image: { queue: "images", batchSize: 1, retries: 50 },
  video: { queue: "videos", batchSize: 1, retries: 50 },
};
const RATE_LIMITER = { name: "RATE_LIMITER", class_name: "RateLimiter" };

/** What each Worker has everywhere. */
/** libheif-js names modules of Node, which it uses there alone. */
const NO_MODULE = "./src/conversion/no-module.ts";

const OWN: Readonly<Record<Kind, Configuration>> = {
  api: {
    // For scrypt, which hashes passwords natively, and for the asynchronous context of better-auth.
    compatibility_flags: ["nodejs_compat"],
    workers_dev: true,
    observability: { enabled: true },
    triggers: { crons: ["* * * * *"] },
    migrations: [{ tag: "v1", new_sqlite_classes: ["RateLimiter"] }],
    // Style and scripts of pages are sent as they are written, guides and their pictures are the repository's own. The pattern is
    // held against the path of the import.
    rules: [
      {
        type: "Text",
        globs: ["**/*.css", "**/assets/*.js", "**/docs/*.md", "**/packages/*/README.md"],
        fallthrough: false,
      },
      { type: "Data", globs: ["**/docs/pictures/categories/*.webp"], fallthrough: false },
    ],
  },
  image: {
    workers_dev: false,
    observability: { enabled: true },
    limits: { cpu_ms: 300_000 },
    alias: { fs: NO_MODULE, path: NO_MODULE },
  },
  video: { workers_dev: false, observability: { enabled: true }, limits: { cpu_ms: 300_000 } },
};

/** A Worker's configuration: the local service at the top, and a section for each environment. */
export function wranglerConfig(
  kind: Kind,
  placements: Readonly<Record<Environment, Placement>> = PLACEMENTS,
): Configuration {
  for (const environment of ENVIRONMENTS) checkPlacement(environment, placements[environment]);
  return {
    $schema: "node_modules/wrangler/config-schema.json",
    name: `veil-${kind}`,
    main: `src/${kind}.worker.ts`,
    compatibility_date: COMPATIBILITY_DATE,
    ...OWN[kind],
    ...bindings(kind, undefined),
    env: Object.fromEntries(
      ENVIRONMENTS.map((environment) => [
        environment,
        {
          name: `veil-${environment}-${kind}`,
          minify: true,
          upload_source_maps: true,
          ...(placements[environment].logpush === true && { logpush: true }),
          ...(kind === "api" && routesAt(placements[environment])),
          ...bindings(kind, environment, placements[environment]),
        },
      ]),
    ),
  };
}

function routesAt({ domain, workersDev }: Placement): Configuration {
  return {
    ...(domain !== undefined && { routes: [{ pattern: domain, custom_domain: true }] }),
    ...(workersDev === false && { workers_dev: false, preview_urls: false }),
  };
}

/** What a Worker is bound to. Wrangler passes none of it on from the top to an environment. */
function bindings(
  kind: Kind,
  environment: Environment | undefined,
  { jurisdiction }: Placement = {},
): Configuration {
  const prefix = environment === undefined ? "veil" : `veil-${environment}`;
  const { queue, batchSize, retries } = CONSUMED[kind];
  const consumed = `${prefix}-${queue}`;
  return {
    d1_databases: [
      {
        binding: "DB",
        database_name: prefix,
        // Deployed databases are found by their names.
        ...(environment === undefined && { database_id: "00000000-0000-0000-0000-000000000000" }),
        migrations_dir: "migrations",
      },
    ],
    r2_buckets: [{ binding: "MEDIA", bucket_name: `${prefix}-media`, ...(jurisdiction && { jurisdiction }) }],
    queues: {
      producers: PRODUCED[kind].map((name) => ({ binding: BINDINGS[name], queue: `${prefix}-${name}` })),
      consumers: [
        {
          queue: consumed,
          max_batch_size: batchSize,
          max_batch_timeout: 0,
          max_retries: retries,
          dead_letter_queue: `${consumed}-dead`,
        },
        { queue: `${consumed}-dead`, max_batch_size: 10, max_batch_timeout: 5, max_retries: 10 },
      ],
    },
    ...(kind === "api" && { durable_objects: { bindings: [RATE_LIMITER] } }),
  };
}
