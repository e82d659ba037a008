import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HOUR_MS, nowMs } from "../../src/ground/platform/clock.ts";
import { objectsOf, violationsOf } from "./support/violations.ts";
import { World, prepareRuntime } from "./support/world.ts";

const STEPS = 150;
const SEEDS = env.FAULT_SEEDS.split(",").map(Number);

beforeEach(prepareRuntime);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.for(SEEDS)("seed %i: whatever fails, nothing is lost and nothing leaks", async (seed) => {
  const world = await World.make(seed);
  for (let step = 0; step < STEPS; step++) await world.step();
  await world.settle();
  expect(await violationsOf(world)).toEqual([]);

  const accepted = world.uploads.filter(({ media, isDeleted }) => media !== undefined && !isDeleted);
  // In the harshest worlds most uploads are refused.
  expect(world.uploads.length).toBeGreaterThan(10);
  expect(accepted.length).toBeGreaterThan(0);
  const outputs = await Promise.all(accepted.map(async ({ media }) => await world.download(media?.id ?? "")));
  const done = outputs.filter((output) => output !== undefined);
  const expected = await world.expectedOutput();
  for (const output of done) expect(output).toEqual(expected);
  expect(world.outside.received.size).toBeGreaterThan(0);

  // In the end, retention deletes every file.
  for (let day = 0; day < 3; day++) {
    vi.setSystemTime(nowMs() + 20 * 24 * HOUR_MS);
    await world.settle();
  }
  expect(await objectsOf(world.account.accountId)).toEqual([]);
});
