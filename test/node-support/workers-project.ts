import { join } from "node:path";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig, type TestUserConfig, type ViteUserConfig } from "vitest/config";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { DETECTOR_URL } from "../support/detector-double.ts";

/**
 * Packages that the Workers import, made one file each. Every test file gets a runtime of its own, which asks for one module
 * at a time: with a thousand small ones, loading them takes longer than most tests.
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

/** Mediabunny's one-file build for runtimes without Node's modules; vitest would take the one for Node. */
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
/** Gives what a project's global setup has provided. */
type Inject = (name: string) => string;

interface WorkersProject {
  readonly name: string;
  /** The Worker's configuration, as it is named at the root. */
  readonly configFile: string;
  /** Variables beside those that every Worker has. */
  readonly bindings?: (inject: Inject) => Readonly<Record<string, string>>;
  /** Answers requests that leave the runtime; without it they leave for this machine. */
  readonly outboundService?: OutboundService;
  /** Whether files take turns in a runtime, which the setup empties: one takes seconds of a processor to start. */
  readonly sharesRuntimes?: boolean;
  readonly test?: TestUserConfig;
}

/** The configuration of tests that run in workerd, with a Worker's bindings and a migrated database. */
export function workersProject(project: WorkersProject): ViteUserConfig {
  const { name, configFile, bindings, outboundService, sharesRuntimes = false, test } = project;
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
      ...test,
    },
  });
}
