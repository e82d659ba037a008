import { SECOND_MS, nowMs } from "../ground/platform/clock.ts";
import { openDatabase } from "../ground/platform/database.ts";
import { databaseConfigs, type DatabaseBindings } from "../ground/platform/databases.ts";
import type { ApiEnv } from "../ground/platform/env.ts";
import { errorFields, log } from "../ground/platform/log.ts";
import { waitAtMost } from "../ground/platform/wait-at-most.ts";
import type { RateLimiter } from "../intake/limits/rate-limit.durable-object.ts";
import { isMigrated } from "./health.repository.ts";

const TIMEOUT_MS = 2 * SECOND_MS;
/** Requests within this time get the same answer, so frequent checks cost nothing. */
const KEPT_MS = 5 * SECOND_MS;
/** Names what is there for nobody: the checks look, and find nothing. */
const PROBE_NAME = "healthz";

type CheckName = "database" | "objects" | "rate_limiter";

interface Check {
  readonly status: "ok" | "failing" | "timed_out" | "not_migrated";
  readonly duration_ms: number;
}

/** The resources that the Worker can reach. Queues have no read-only operation; every request checks that they are bound. */
export interface Health {
  readonly status: "ok" | "failing";
  readonly checks: Readonly<Record<CheckName, Check>>;
}

type HealthEnv = DatabaseBindings & Pick<ApiEnv, "MEDIA" | "RATE_LIMITER">;

const known = new WeakMap<HealthEnv, { readonly health: Health; readonly freshUntilMs: number }>();

/** Looks through each binding, all at once, each for two seconds at most. The answer is kept for five seconds. */
export async function checkHealth(config: HealthEnv): Promise<Health> {
  const last = known.get(config);
  if (last !== undefined && last.freshUntilMs > nowMs()) return last.health;
  const health = await look(config);
  known.set(config, { health, freshUntilMs: nowMs() + KEPT_MS });
  return health;
}

async function look(config: HealthEnv): Promise<Health> {
  const [database, objects, rateLimiter] = await Promise.all([
    check("database", async () => {
      const databases = databaseConfigs(config).map(({ DB }) => openDatabase(DB, "any"));
      const migrated = await Promise.all(databases.map(isMigrated));
      return migrated.every(Boolean) ? "ok" : "not_migrated";
    }),
    check("objects", async () => {
      await config.MEDIA.head(PROBE_NAME);
      return "ok";
    }),
    check("rate_limiter", async () => {
      const namespace = config.RATE_LIMITER as DurableObjectNamespace<RateLimiter>;
      await namespace.get(namespace.idFromName(PROBE_NAME)).count(0);
      return "ok";
    }),
  ]);
  const checks = { database, objects, rate_limiter: rateLimiter };
  const isWell = Object.values(checks).every(({ status }) => status === "ok");
  return { status: isWell ? "ok" : "failing", checks };
}

async function check(name: CheckName, probe: () => Promise<Check["status"]>): Promise<Check> {
  const startedAtMs = nowMs();
  const outcome = probe().catch((error: unknown) => {
    log("error", "health.check_failed", { check: name, ...errorFields(error) });
    return "failing" as const;
  });
  const status = (await waitAtMost(TIMEOUT_MS, outcome)) ?? "timed_out";
  if (status === "timed_out" || status === "not_migrated")
    log("error", "health.check_failed", { check: name, outcome: status });
  return { status, duration_ms: nowMs() - startedAtMs };
}
