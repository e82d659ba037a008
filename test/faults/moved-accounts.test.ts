import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { World, prepareRuntime } from "./support/world.ts";
import { violationsOf } from "./support/violations.ts";

const STEPS = 150;
const SEEDS = env.FAULT_SEEDS.split(",").map(Number);

beforeEach(prepareRuntime);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** How the files of all worlds were made. */
const kinds: string[] = [];

test.for(SEEDS)(
  "seed %i: an account that moves to and fro loses nothing, doubles nothing, and shows nothing of another",
  async (seed) => {
    const world = await World.make(seed, { isMoved: true });
    const beside = await World.make(seed + 100, { isMoved: true, beside: world });
    for (let step = 0; step < STEPS; step++) {
      await world.step();
      if (step % 3 === 0) await beside.step();
    }
    await world.settle();
    await beside.settle();
    expect(await violationsOf(world)).toEqual([]);
    expect(await violationsOf(beside)).toEqual([]);
    expect(world.moves).toBeGreaterThan(0);

    const expected = await world.expectedOutput();
    const accepted = world.uploads.filter(({ media, isDeleted }) => media !== undefined && !isDeleted);
    expect(accepted.length).toBeGreaterThan(0);
    kinds.push(...accepted.map(({ key }) => key.slice(0, key.indexOf("-"))));
    for (const { media } of accepted) {
      const output = await world.download(media?.id ?? "");
      if (output !== undefined) expect(output).toEqual(expected);
    }
  },
);

test("the worlds made files of all kinds", () => {
  expect(new Set(kinds)).toEqual(new Set(["upload", "resumable", "revision"]));
});
