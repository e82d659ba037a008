import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestUserConfig, type ViteUserConfig } from "vitest/config";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";
import { TIME_LIMITS } from "./time-limits.ts";

/**
 * Packages that the Workers import, bundled into one file each. Every test file gets its own runtime, which loads one module at a time,
 * and loading a thousand small modules takes longer than most tests.
 */
const PACKAGES: readonly string[] = [
  "@hono/zod-openapi",
  "@upstash/ratelimit",
  "@upstash/redis/cloudflare",
  "better-auth",
  "better-auth/adapters/drizzle",
  "better-auth/api",
  "better-auth/cookies",
  "better-auth/minimal",
  "better-auth/plugins/two-factor",
  "drizzle-orm",
  "drizzle-orm/d1",
  "drizzle-orm/errors",
  "drizzle-orm/sqlite-core",
  "fast-check",
  "file-type",
  "hono",
  "hono/body-limit",
  "hono/cookie",
  "hono/cors",
  "hono/etag",
  "hono/html",
  "hono/jsx",
  "hono/jsx/jsx-dev-runtime",
  "hono/jsx/jsx-runtime",
  "hono/secure-headers",
  "ipaddr.js",
  "leven",
  "uqr",
  "zod",
];

/** Mediabunny's single-file build for runtimes without Node's modules. Vitest would use the build for Node. */
const MEDIABUNNY = join(ROOT, "node_modules/mediabunny/dist/bundles/mediabunny.min.mjs");

/** Variables that every Worker has in tests. */
const BINDINGS = {
  INFERENCE_URL: DETECTOR_URL,
  INFERENCE_TOKEN: "test-token",
  VIDEO_ENGINE: "worker",
  WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
};

type PoolOptions = Exclude<Parameters<typeof cloudflareTest>[0], (...args: never[]) => unknown>;
type OutboundService = NonNullable<PoolOptions["miniflare"]>["outboundService"];
/** Returns a value that a project's global setup provided. */
type Inject = (name: string) => string;

interface WorkersProject {
  readonly name: string;
  /** The name of the Worker's configuration file at the root. */
  readonly configFile: string;
  /** Additional variables. */
  readonly bindings?: (inject: Inject) => Readonly<Record<string, string>>;
  /** Whether there is a second database, `DB_2`. */
  readonly hasSecondDatabase?: boolean;
  /** Whether there is an empty database, `SPARE_DB`, that Workers know only if a test gives it to them. */
  readonly hasSpareDatabase?: boolean;
  /** Answers requests that leave the runtime. Without it, they are sent from this machine. */
  readonly outboundService?: OutboundService;
  /** Whether test files share a runtime, which the setup resets between them, because starting one takes seconds of CPU time. */
  readonly sharesRuntimes?: boolean;
  readonly test?: TestUserConfig;
}

/** The configuration of tests that run in workerd, with a Worker's bindings and a migrated database. */
export function workersProject(project: WorkersProject): ViteUserConfig {
  const {
    name,
    configFile,
    bindings,
    hasSecondDatabase = false,
    hasSpareDatabase = false,
    outboundService,
  } = project;
  const { sharesRuntimes = false, test } = project;
  return defineConfig({
    cacheDir: join(ROOT, "node_modules/.vite", name),
    plugins: [
      cloudflareTest(async ({ inject }) => ({
        wrangler: { configPath: join(ROOT, configFile) },
        miniflare: {
          bindings: {
            TEST_MIGRATIONS: await readD1Migrations(join(ROOT, "migrations")),
            ...BINDINGS,
            ...bindings?.((key) => inject<string>(key)),
          },
          ...(hasSecondDatabase && { d1Databases: { DB_2: "second" } }),
          ...(hasSpareDatabase && { d1Databases: { SPARE_DB: "spare" } }),
          ...(outboundService === undefined ? {} : { outboundService }),
        },
      })),
    ],
    resolve: { alias: { mediabunny: MEDIABUNNY } },
    test: {
      name,
      isolate: !sharesRuntimes,
      setupFiles: [join(ROOT, "test/support/setup.ts")],
      deps: {
        optimizer: {
          ssr: {
            enabled: true,
            include: [...PACKAGES],
            rolldownOptions: {
              external: [/^node:/u, /^cloudflare:/u],
              output: { minify: true },
            },
          },
        },
      },
      ...TIME_LIMITS,
      ...test,
    },
  });
}
