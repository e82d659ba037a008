import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

// Retries do not wait, because tests make thousands of calls fail.
vi.mock(import("../../src/ground/platform/retry-schedules.ts"), async (importOriginal) => {
  const schedules = await importOriginal();
  const { STORAGE_CALLS, DETECTOR_CALLS } = schedules;
  const mocked = {
    ...schedules,
    STORAGE_CALLS: { ...STORAGE_CALLS, delayMs: 0 },
    DETECTOR_CALLS: { ...DETECTOR_CALLS, delayMs: 0 },
  };
  return mocked as unknown as typeof schedules;
});

// Test files may share a runtime. Each begins with empty storage, the real time, and fresh modules.
await reset();
const databases = Reflect.has(env, "DB_2") ? [env.DB, env.DB_2] : [env.DB];
await Promise.all([...databases.map(dropTables), deleteObjects()]);
for (const database of databases) await applyD1Migrations(database, env.TEST_MIGRATIONS);

afterAll(() => {
  vi.useRealTimers();
  vi.resetModules();
});

/**
 * The reset does not clear Durable Objects that workerd has evicted. The newest table is dropped first, because SQLite drops no table that
 * refers to a missing one.
 */
async function dropTables(database: D1Database): Promise<void> {
  const { results } = await database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY rowid DESC",
    )
    .all<{ name: string }>();
  if (results.length === 0) return;
  const drops = results.map(({ name }) => database.prepare(`DROP TABLE "${name}"`));
  await database.batch([database.prepare("PRAGMA defer_foreign_keys = on"), ...drops]);
}

async function deleteObjects(): Promise<void> {
  for (;;) {
    const { objects } = await env.MEDIA.list();
    if (objects.length === 0) return;
    await env.MEDIA.delete(objects.map(({ key }) => key));
  }
}
