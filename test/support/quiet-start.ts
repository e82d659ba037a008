import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";

/** When tests of jobs take place. */
export const START_MS = Date.UTC(2026, 0, 15);

/**
 * Has each test of a file take place at {@link START_MS} and begin without media and with an idle breaker: a permit is good for any job, so
 * none may be left of another test. What a test replaces is put back.
 */
export function beginQuietly(): void {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
    await env.DB.exec("DELETE FROM media");
    await env.DB.exec("DELETE FROM detector_breakers");
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}
