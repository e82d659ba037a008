import { expect, test } from "vitest";
import { sendPermits } from "../../src/ground/platform/permits.ts";

/** The delays that `sendPermits` asks a queue for. */
async function delaysOf(
  dueInSeconds: number | undefined,
  permits: number,
): Promise<(number | undefined)[][]> {
  const batches: (number | undefined)[][] = [];
  const queue = {
    sendBatch: async (messages: Iterable<MessageSendRequest>) => {
      batches.push([...messages].map(({ delaySeconds }) => delaySeconds));
      await Promise.resolve();
    },
  } as unknown as Queue;
  await sendPermits(
    queue,
    Array.from({ length: permits }, () => ({})),
    dueInSeconds,
  );
  return batches;
}

test("a permit that waits arrives after its job is due, even where two clocks differ a little", async () => {
  expect(await delaysOf(undefined, 2)).toEqual([[0, 0]]);
  expect(await delaysOf(5, 1)).toEqual([[6]]);
});

test("no permit is held longer than a queue can, and none sent in larger batches than it takes", async () => {
  expect(await delaysOf(86_400, 1)).toEqual([[43_200]]);
  expect((await delaysOf(0, 101)).map(({ length }) => length)).toEqual([100, 1]);
});
