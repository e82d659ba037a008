import { env } from "cloudflare:workers";
import { afterEach, beforeEach, vi } from "vitest";

/** The simulated time of tests of jobs. */
export const START_MS = Date.UTC(2026, 0, 15);

/**
 * Lets each test of a file begin at {@link START_MS}, without media and with an idle breaker. A permit is valid for any job, so no job of
 * another test may remain. Mocks are restored.
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
