import { expect, test } from "vitest";
import { BufferPool } from "../../src/platform/buffer-pool.ts";

test("a buffer is used again, without what it held", () => {
  const pool = new BufferPool({ sizeBytes: 16, mostKept: 1 });
  const first = pool.take();
  first.fill(7);
  pool.giveBack(first);
  expect(pool.take()).toBe(first);
  expect(first).toEqual(new Uint8Array(16));
  expect(pool.take()).not.toBe(first);
});

test("what is more than is kept gives its memory back at once", () => {
  const pool = new BufferPool({ sizeBytes: 16, mostKept: 1 });
  const [first, second] = [pool.take(), pool.take()];
  pool.giveBack(first);
  pool.giveBack(second);
  expect([first.length, second.length]).toEqual([16, 0]);
});
