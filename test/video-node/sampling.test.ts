import { describe, expect, it } from "vitest";
import { SamplingPlan } from "../../src/work/video/sampling/sampling-plan.ts";
import { backdrop } from "../video/compose/backdrop.ts";
import { constantRate, type Script, type Shot } from "../video/compose/clip.ts";
import { composeFrame } from "../video/compose/compose.ts";
import { coarseOf } from "./support/redact-clip.ts";

const SIZE = { width: 320, height: 180 };
const places = [4, 5].map((seed) => backdrop({ width: 640, height: 300, seed }));

function shotOf(fromSeconds: number, place: number, pxPerSecond: number): Shot {
  const [first] = places;
  const found = places[place] ?? first;
  if (found === undefined) throw new RangeError("There is no place.");
  return { fromSeconds, backdrop: found, camera: (t) => [20 + pxPerSecond * t, 40], targets: [] };
}

/** The sampled frames. */
function looksOf(script: Pick<Script, "timestampsSeconds" | "shots">): number[] {
  const whole = { ...script, ...SIZE, name: "sampling" };
  const plan = new SamplingPlan();
  const decisions: boolean[] = [];
  for (const [index, timestampSeconds] of script.timestampsSeconds.entries()) {
    const coarse = coarseOf(composeFrame(whole, index).planes, SIZE.width, SIZE.height);
    decisions.push(...plan.decide({ coarse, timestampSeconds }));
    expect(decisions).toHaveLength(index);
  }
  decisions.push(...plan.finish());
  expect(decisions).toHaveLength(script.timestampsSeconds.length);
  return [...decisions.keys()].filter((index) => decisions[index]);
}

describe("SamplingPlan", () => {
  it("looks at the first, the last, and three to four frames a second of a still picture", () => {
    const looks = looksOf({ timestampsSeconds: constantRate(30, 2), shots: [shotOf(0, 0, 0)] });
    expect(looks).toEqual([0, 9, 18, 27, 36, 45, 54, 59]);
  });

  it("looks oftener where something moves, but at most six times a second in the long run", () => {
    const seconds = 2.4;
    const shots = [shotOf(0, 0, 120)];
    const looks = looksOf({ timestampsSeconds: constantRate(30, seconds), shots });
    expect(looks.length).toBeGreaterThan(4.5 * seconds);
    expect(looks.length).toBeLessThanOrEqual(6 * seconds + 8);
  });

  it("depends on time, not on frames", () => {
    const timestampsSeconds = Array.from({ length: 40 }, (_, index) => index / 20 + (index % 2) * 0.03);
    const looks = looksOf({ timestampsSeconds, shots: [shotOf(0, 0, 0)] });
    for (const [index, frame] of looks.slice(1).entries()) {
      const since = (timestampsSeconds[frame] ?? 0) - (timestampsSeconds[looks[index] ?? 0] ?? 0);
      expect(since).toBeLessThan(0.3 + 0.08);
    }
  });

  it("looks at the frames on both sides of a new picture", () => {
    const shots = [shotOf(0, 0, 0), shotOf(0.8, 1, 0)];
    const looks = looksOf({ timestampsSeconds: constantRate(30, 1.6), shots });
    expect(looks).toContain(23);
    expect(looks).toContain(24);
  });
});
