import { expect, it } from "vitest";
import { steadyTicks } from "../../src/work/video/containers/steady-ticks.ts";

const MILLISECONDS = { samplesPerSecond: 44_100, tickSeconds: 0.001 };

function timedInMs(ticks: readonly number[]): { seconds: number; samples: undefined }[] {
  return ticks.map((tick) => ({ seconds: Math.round((tick / 44_100) * 1000) / 1000, samples: undefined }));
}

it("packets of as many samples each follow one another without a gap", () => {
  const ticks = Array.from({ length: 3000 }, (_, index) => 23 * 44.1 + index * 1024);
  const found = steadyTicks(timedInMs(ticks), MILLISECONDS);
  expect(new Set(found.slice(1).map((tick, index) => tick - (found[index] ?? 0)))).toEqual(new Set([1024]));
});

it("a gap stays where it is", () => {
  const ticks = Array.from({ length: 400 }, (_, index) => index * 1024 + (index < 200 ? 0 : 2205));
  const found = steadyTicks(timedInMs(ticks), MILLISECONDS);
  for (const [index, tick] of found.entries()) expect(Math.abs(tick - (ticks[index] ?? 0))).toBeLessThan(45);
  expect((found[200] ?? 0) - (found[199] ?? 0)).toBeGreaterThan(3000);
});

it("packets of changing lengths come at their declared times, and those that declare their length follow by it", () => {
  expect(steadyTicks(timedInMs([0, 132, 706, 2205]), MILLISECONDS)).toEqual([0, 132, 706, 2205]);
  const pcm = [0, 0.023, 0.046].map((seconds) => ({ seconds, samples: 1024 }));
  expect(steadyTicks(pcm, MILLISECONDS)).toEqual([0, 1024, 2048]);
});
