import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { World, prepareRuntime } from "./support/world.ts";
import { violationsOf } from "./support/violations.ts";

const STEPS = 150;
/** Which files a world makes depends on how its work interleaves, so the last world goes on until there is one of each kind. */
const MOST_STEPS = 3000;
const KINDS = ["resumable", "revision", "upload"];
const SEEDS = env.FAULT_SEEDS.split(",").map(Number);

beforeEach(prepareRuntime);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** How the files of all worlds were made. */
const kinds = new Set<string>();

function noteKinds({ uploads }: World): void {
  for (const { key, media } of uploads) if (media !== undefined) kinds.add(key.slice(0, key.indexOf("-")));
}

test.for(SEEDS)(
  "seed %i: an account that moves to and fro loses nothing, doubles nothing, and shows nothing of another",
  async (seed) => {
    const world = await World.make(seed, { isMoved: true });
    const beside = await World.make(seed + 100, { isMoved: true, beside: world });
    const goesOn = (step: number): boolean =>
      step < STEPS || (seed === SEEDS.at(-1) && kinds.size < KINDS.length && step < MOST_STEPS);
    for (let step = 0; goesOn(step); step++) {
      await world.step();
      if (step % 3 === 0) await beside.step();
      noteKinds(world);
    }
    await world.settle();
    await beside.settle();
    expect(await violationsOf(world)).toEqual([]);
    expect(await violationsOf(beside)).toEqual([]);
    expect(world.moves).toBeGreaterThan(0);

    const expected = await world.expectedOutput();
    const accepted = world.uploads.filter(({ media, isDeleted }) => media !== undefined && !isDeleted);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { media } of accepted) {
      const output = await world.download(media?.id ?? "");
      if (output !== undefined) expect(output).toEqual(expected);
    }
  },
);

test("the worlds made files of all kinds", () => {
  expect([...kinds].toSorted()).toEqual(KINDS);
});
