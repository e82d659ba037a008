import { describe, expect, it } from "vitest";
import type { Detection } from "../src/detections/detection.ts";
import type { View } from "../src/images/view.ts";
import { readLargeLines } from "../src/pipeline/read-lines.ts";
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
): Promise<{ kept: Detection[]; views: View[] }> {
  const views: View[] = [];
  const kept = await readLargeLines(
    found,
    { picture, confidences },
    {
      cut: async (_picture, view) => {
        views.push(view);
        return await Promise.resolve({ data: new Float32Array(0), width: 8, height: 48 });
      },
      read: async () => await Promise.resolve(reading),
    },
  );
  return { kept, views };
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

  it("is cut out 48 pixels high in its own proportions, within limits", async () => {
    const { views } = await read([line(320, 0.7)], LEGIBLE);
    expect(views).toEqual([
      { left: 100, top: 240, width: 800, height: 320, scaledWidth: 120, scaledHeight: 48 },
    ]);
  });
});

describe("not read", () => {
  it.each([
    ["a small line", line(40, 0.7)],
    ["another category", { ...line(300, 0.7), category: "screens" as const }],
    [
      "a steep line",
      {
        ...line(500, 0.7),
        polygon: [
          [0.1, 0.7],
          [0.8, 0.2],
          [0.9, 0.3],
          [0.2, 0.8],
        ] as const,
      },
    ],
    ["an upright line", { ...line(0, 0.7), box: { left: 0.45, top: 0.1, right: 0.55, bottom: 0.9 } }],
  ])("is %s", async (_name, found) => {
    const { kept, views } = await read([found], NOTHING);
    expect(kept).toEqual([found]);
    expect(views).toEqual([]);
  });

  it("are more lines of a picture than the sixteen largest", async () => {
    const found = Array.from({ length: 30 }, (_none, index) => line(200 + index, 0.7));
    const { kept, views } = await read(found, NOTHING);
    expect(kept).toHaveLength(30);
    expect(views).toHaveLength(16);
    expect(Math.min(...views.map(({ height }) => height))).toBeGreaterThan(213);
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
