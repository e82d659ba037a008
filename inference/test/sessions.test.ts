import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Batcher } from "../src/finders/batcher.ts";
import type { Look } from "../src/models/read-answer.ts";
import { SecondLookThreads } from "../src/workers/model-threads.ts";
import { answerOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, type TestService } from "./support/service.ts";

const SIZE = { width: 128, height: 96 };

function lookOf(side: number): Look {
  const tensor = { data: new Uint8Array(3 * side * side), width: side, height: side };
  return { tensor } as unknown as Look;
}

describe("batches of one network", () => {
  it.each([1, 2, 3])("run %i at once, and no more", async (parallelBatches) => {
    const ends: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const batcher = new Batcher(
      async (looks) => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => ends.push(resolve));
        running -= 1;
        return looks.map(() => []);
      },
      { maxViews: 1, maxPixels: 1_000_000, delayMs: 0, parallelBatches },
      () => false,
    );
    const { signal } = new AbortController();
    const answers = Array.from({ length: 6 }, async () => await batcher.add(lookOf(8), signal));
    for (let answered = 0; answered < 6; answered++) {
      await expect.poll(() => ends.length).toBeGreaterThan(0);
      ends.shift()?.();
    }
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 6 }, () => []));
    expect(most).toBe(parallelBatches);
    expect(batcher.waiting).toBe(0);
  });
});

describe("a network with three sessions", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ env: { MODEL_SESSIONS: "3", BATCH_SIZE: "1" } });
  });

  afterAll(async () => service.stop());

  it("answers each of many requests at once with its own detections", async () => {
    const places = Array.from({ length: 12 }, (_, index) => 8 * index);
    const found = await Promise.all(
      places.map(async (x) => {
        const frame = await encode(squaresOnBlack(SIZE.width, SIZE.height, [{ x, y: 32, side: 8 }]), SIZE);
        const { frames } = await answerOf(await service.detect({ categories: ["heads"] }, [frame]));
        return frames[0]?.detections.map(({ box: [left] }) => Math.round(left * SIZE.width));
      }),
    );
    expect(found).toEqual(places.map((x) => [x]));
  });
});

describe("threads of a model", () => {
  it("end if one of them cannot load it, and the error is the worker's", async () => {
    const task = { manifestPath: "/nowhere.json", provider: "cpu", threads: 1, integers: false } as const;
    await expect(SecondLookThreads.start(task, 2)).rejects.toThrow(/nowhere\.json/u);
  });
});
