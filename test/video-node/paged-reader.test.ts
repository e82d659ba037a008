import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PagedReader } from "../../src/work/video/containers/paged-reader.ts";

const MEGABYTE = 1024 * 1024;
const SIZE_BYTES = 9 * MEGABYTE + 123;

/** Bytes that encode their own position. */
const FILE = Uint8Array.from({ length: SIZE_BYTES }, (_, at) => at * 31 + (at >> 13));

/** The file, and the ranges that were read of it. */
function storedFile() {
  const reads: [number, number][] = [];
  const read = async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
    reads.push([start, end]);
    await Promise.resolve();
    return FILE.slice(start, end);
  };
  return { reads, read };
}

describe("reading a file by pages", () => {
  it("gives the bytes of every range, however many are asked for at once", async () => {
    const file = storedFile();
    const range = fc
      .tuple(fc.nat(SIZE_BYTES - 1), fc.integer({ min: 1, max: 3 * MEGABYTE }))
      .map(([start, length]) => [start, Math.min(SIZE_BYTES, start + length)] as const);
    await fc.assert(
      fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 6 }), async (ranges) => {
        const pages = new PagedReader(file.read, SIZE_BYTES);
        const copies = await Promise.all(
          ranges.map(async ([start, end]) => (await pages.range(start, end)).slice()),
        );
        for (const [index, [start, end]] of ranges.entries()) {
          expect(copies[index]?.length).toBe(end - start);
          expect(copies[index]?.every((byte, at) => byte === FILE[start + at])).toBe(true);
        }
        pages.close();
      }),
      { numRuns: 15 },
    );
  });

  it("reads a page once while it is held, and again when four others have taken its place", async () => {
    const file = storedFile();
    const pages = new PagedReader(file.read, SIZE_BYTES);
    for (const start of [10, 500, MEGABYTE - 5, 20]) await pages.range(start, start + 5);
    expect(file.reads).toEqual([[0, MEGABYTE]]);
    for (const page of [1, 2, 3, 0, 4]) await pages.range(page * MEGABYTE, page * MEGABYTE + 1);
    expect(file.reads).toHaveLength(5);
    await pages.range(0, 1);
    expect(file.reads).toHaveLength(5);
    await pages.range(MEGABYTE, MEGABYTE + 1);
    expect(file.reads.at(-1)).toEqual([MEGABYTE, 2 * MEGABYTE]);
  });

  it("is idle once no read is under way, nor one that follows from it", async () => {
    const file = storedFile();
    const pages = new PagedReader(file.read, SIZE_BYTES);
    let bytesRead = 0;
    const read = async (): Promise<void> => {
      bytesRead += (await pages.range(0, 10)).length;
      bytesRead += (await pages.range(2 * MEGABYTE, 2 * MEGABYTE + 5)).length;
    };
    const reading = read();
    await pages.idle();
    expect(bytesRead).toBe(15);
    await reading;
  });

  it("frees what it held: views of it are empty", async () => {
    const file = storedFile();
    const pages = new PagedReader(file.read, SIZE_BYTES);
    const views = [await pages.range(0, 100), await pages.range(MEGABYTE - 10, MEGABYTE + 10)];
    expect(views.map(({ length }) => length)).toEqual([100, 20]);
    pages.close();
    expect(views.map(({ length }) => length)).toEqual([0, 0]);
  });

  it("goes on after a read that failed", async () => {
    const file = storedFile();
    let isDown = true;
    const read = async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
      if (isDown) throw new Error("Storage is away.");
      return await file.read(start, end);
    };
    const pages = new PagedReader(read, SIZE_BYTES);
    await expect(pages.range(0, 10)).rejects.toThrow("Storage is away.");
    isDown = false;
    expect((await pages.range(0, 10))[3]).toBe(FILE[3]);
  });
});
