import { onTestFinished, vi } from "vitest";

/** Stops the clock until the test ends, so that its requests fall into one minute of the rate limit. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
