import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

// Test files may take turns in a runtime. Each begins with empty storage, the time as it is, and modules that no other has used.
await reset();
await Promise.all([dropTables(), deleteObjects()]);
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

afterAll(() => {
  vi.useRealTimers();
  vi.resetModules();
});

/**
 * The reset leaves what belongs to a Durable Object that workerd has put out of memory meanwhile. The newest table goes first: SQLite
 * drops none that refers to one that is gone.
 */
async function dropTables(): Promise<void> {
  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY rowid DESC",
  ).all<{ name: string }>();
  if (results.length === 0) return;
  const drops = results.map(({ name }) => env.DB.prepare(`DROP TABLE "${name}"`));
  await env.DB.batch([env.DB.prepare("PRAGMA defer_foreign_keys = on"), ...drops]);
}

async function deleteObjects(): Promise<void> {
  for (;;) {
    const { objects } = await env.MEDIA.list();
    if (objects.length === 0) return;
    await env.MEDIA.delete(objects.map(({ key }) => key));
  }
}
