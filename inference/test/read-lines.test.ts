import { describe, expect, it } from "vitest";
import type { Detection } from "../src/detections/detection.ts";
import { readLargeLines } from "../src/pipeline/read-lines.ts";
import { cutLine, type Line } from "../src/writing/cut-line.ts";
import { readingOf, type Reading } from "../src/writing/reading.ts";

const picture = { width: 1000, height: 800, pixels: new SharedArrayBuffer(0) };
const confidences = { threshold: 0.6, reported: 0.05 };

/** A level line in the middle of the picture, of this height in its pixels. */
function line(heightPx: number, confidence: number, isCandidate = false): Detection {
  const half = heightPx / 2 / picture.height;
  const box = { left: 0.1, top: 0.5 - half, right: 0.9, bottom: 0.5 + half };
  return { category: "writing", confidence, box, ...(isCandidate && { isCandidate }) };
}

async function read(
  found: readonly Detection[],
  reading: Reading,
): Promise<{ kept: Detection[]; lines: Line[] }> {
  const lines: Line[] = [];
  const kept = await readLargeLines(found, { picture, confidences }, async (task) => {
    lines.push(task.line);
    return await Promise.resolve(reading);
  });
  return { kept, lines };
}

const LEGIBLE = { characters: 4, certainty: 0.97 };
const NOTHING = { characters: 0, certainty: 0 };

describe("a large line", () => {
  it("that can be read is as certain as its reading, and no candidate any more", async () => {
    const { kept } = await read([line(300, 0.4, true)], LEGIBLE);
    expect(kept).toMatchObject([{ confidence: 0.97 }]);
    expect(kept[0]).not.toHaveProperty("isCandidate");
  });

  it("keeps its confidence if that is greater", async () => {
    expect((await read([line(300, 0.99)], LEGIBLE)).kept).toMatchObject([{ confidence: 0.99 }]);
  });

  it("of which one character can be read stays as it is", async () => {
    const found = [line(300, 0.4, true)];
    expect((await read(found, { characters: 1, certainty: 0.99 })).kept).toEqual(found);
  });

  it("that cannot be read becomes a candidate", async () => {
    const { kept } = await read([line(300, 0.75)], NOTHING);
    expect(kept).toMatchObject([{ isCandidate: true }]);
    expect(kept[0]?.confidence).toBeCloseTo(0.45, 1);
  });

  it("that cannot be read stays if it is confident, or not very large", async () => {
    expect((await read([line(300, 0.95)], NOTHING)).kept[0]).not.toHaveProperty("isCandidate");
    const found = [line(150, 0.75)];
    expect((await read(found, NOTHING)).kept).toEqual(found);
  });

  it("that falls below everything reported is left out", async () => {
    expect((await read([line(300, 0.1)], NOTHING)).kept).toEqual([]);
  });

  it("is read from left to right, however its corners are ordered", async () => {
    const corners = [
      [0.1, 0.3],
      [0.9, 0.3],
      [0.9, 0.7],
      [0.1, 0.7],
    ] as const;
    for (let first = 0; first < 4; first += 1) {
      for (const order of [corners, corners.toReversed()]) {
        const polygon = [...order.slice(first), ...order.slice(0, first)];
        const { lines } = await read([{ ...line(320, 0.7), polygon }], LEGIBLE);
        expect(lines).toEqual([
          {
            start: [expect.closeTo(100), expect.closeTo(240)],
            along: [expect.closeTo(800), expect.closeTo(0)],
            down: [expect.closeTo(0), expect.closeTo(320)],
          },
        ]);
      }
    }
  });

  it("that is upright is read downward and upward", async () => {
    const upright = { ...line(0, 0.7), box: { left: 0.4, top: 0.1, right: 0.6, bottom: 0.9 } };
    const { lines } = await read([upright], LEGIBLE);
    expect(lines.map(({ along }) => along[1]).sort((a, b) => a - b)).toEqual([
      expect.closeTo(-640),
      expect.closeTo(640),
    ]);
  });
});

describe("a line that is cut out", () => {
  it("is straight, 48 pixels high, blue first, and gray outside the picture", () => {
    const [width, height] = [40, 30];
    const pixels = new SharedArrayBuffer(width * height * 3);
    // Red on the left half, black on the right.
    new Uint8Array(pixels).forEach((_byte, at, bytes) => {
      bytes[at] = at % 3 === 0 && Math.floor(at / 3) % width < 20 ? 255 : 0;
    });
    const cut = cutLine({ width, height, pixels }, { start: [0, 0], along: [80, 0], down: [0, 30] });
    expect([cut.width, cut.height]).toEqual([128, 48]);
    const [plane, middle] = [128 * 48, 24 * 128];
    const at = (channel: number, x: number) => cut.data[channel * plane + middle + x];
    expect([at(0, 5), at(1, 5), at(2, 5)]).toEqual([-1, -1, 1]);
    expect(at(2, 50)).toBe(-1);
    expect(at(2, 100)).toBeCloseTo(0, 5);
  });
});

describe("not read", () => {
  it.each([
    ["a small line", line(40, 0.7)],
    ["another category", { ...line(300, 0.7), category: "screens" as const }],
  ])("is %s", async (_name, found) => {
    const { kept, lines } = await read([found], NOTHING);
    expect(kept).toEqual([found]);
    expect(lines).toEqual([]);
  });

  it("are more lines of a picture than the sixteen largest", async () => {
    const found = Array.from({ length: 30 }, (_none, index) => line(200 + index, 0.7));
    const { kept, lines } = await read(found, NOTHING);
    expect(kept).toHaveLength(30);
    expect(lines).toHaveLength(16);
    expect(Math.min(...lines.map(({ down }) => down[1]))).toBeGreaterThan(213);
  });
});

/** Probabilities of three classes; in each step, one has `p` and the others share the rest. */
function steps(...all: readonly (readonly [best: number, p: number])[]): Float32Array {
  return Float32Array.from(
    all.flatMap(([best, p]) => [0, 1, 2].map((index) => (index === best ? p : (1 - p) / 2))),
  );
}

describe("a reading", () => {
  it("counts a repeated class once, and twice around no character", () => {
    const reading = readingOf(steps([1, 0.9], [1, 0.8], [0, 0.9], [1, 0.7], [2, 0.8]), 3);
    expect(reading.characters).toBe(3);
    expect(reading.certainty).toBeCloseTo((0.9 + 0.7 + 0.8) / 3);
  });

  it("of no character is certain of nothing", () => {
    expect(readingOf(steps([0, 0.9], [0, 0.9]), 3)).toEqual(NOTHING);
  });
});
