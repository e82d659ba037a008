import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";

// Test files may take turns in a runtime. Each begins with empty storage, the time as it is, and modules that no other has used.
await reset();
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);

afterAll(() => {
  vi.useRealTimers();
  vi.resetModules();
});
