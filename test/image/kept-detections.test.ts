import { describe, expect, test } from "vitest";
import type { Detection } from "../../src/ground/vocabulary/detection.schemas.ts";
import { keepDetections } from "../../src/records/masking/found-detections.ts";
import { hiddenRegions } from "../../src/records/masking/hidden-regions.ts";

function newId(index: number): string {
  return `d${index}`;
}
function keep(found: readonly Detection[]) {
  return keepDetections(found, { ignored: [], newId });
}

function thing(left: number, confidence: number, more: Partial<Detection> = {}): Detection {
  return { category: "heads", box: [left, 0.1, 0.2, 0.2], confidence, ...more };
}

/** Different detections side by side. */
function many(count: number, more: Partial<Detection> = {}): Detection[] {
  return Array.from({ length: count }, (_, index) => ({
    category: "writing",
    confidence: 0.99 - index / 1e5,
    box: [(index % 100) / 100, Math.floor(index / 100) / 100, 0.009, 0.009],
    ...more,
  }));
}

describe("the stored detections", () => {
  test("is each thing once, the surest first; things side by side and other categories stay apart", () => {
    const { detections } = keep([
      thing(0.1, 0.5),
      thing(0.12, 0.912345),
      thing(0.3, 0.4),
      thing(0.1, 0.3, { category: "tattoos" }),
    ]);
    expect(
      detections.map(({ id, category, box: [left], confidence }) => [id, category, left, confidence]),
    ).toEqual([
      ["d0", "heads", 0.12, 0.91235],
      ["d1", "heads", 0.3, 0.4],
      ["d2", "tattoos", 0.1, 0.3],
    ]);
  });

  test("hides as much as was found: what was seen twice is hidden twice", () => {
    const found = [thing(0.1, 0.5), thing(0.12, 0.9), thing(0.3, 0.4)];
    const regions = hiddenRegions(keep(found).detections, { width: 100, height: 100 });
    expect(regions).toHaveLength(3);
  });

  test("does not mix detections with candidates", () => {
    const { detections } = keep([thing(0.1, 0.5), thing(0.11, 0.2, { candidate: true })]);
    expect(detections).toHaveLength(2);
    expect(detections[1]).toMatchObject({ isOpen: true, isOpenByDefault: true, confidence: 0.2 });
    expect(hiddenRegions(detections, { width: 100, height: 100 })).toHaveLength(1);
  });

  test("is at most 200 candidates of a category, the surest", () => {
    const { detections, isTruncated } = keep([
      ...many(250, { candidate: true }),
      ...many(10, { candidate: true, category: "heads" }),
    ]);
    expect(detections.filter(({ category }) => category === "writing")).toHaveLength(200);
    expect(detections.filter(({ category }) => category === "heads")).toHaveLength(10);
    expect(isTruncated).toBe(true);
  });

  test("hides all of a page of thousands of words, though only the surest are listed one by one", () => {
    const found = many(5_000);
    const { detections, isTruncated } = keep(found);
    expect(detections).toHaveLength(2_001);
    expect(isTruncated).toBe(true);
    expect(hiddenRegions(detections, { width: 1000, height: 1000 })).toHaveLength(5_000);
    const open = detections.map((one) => (one.id === "d2000" ? { ...one, isOpen: true } : one));
    expect(hiddenRegions(open, { width: 1000, height: 1000 })).toHaveLength(2_000);
    expect(JSON.stringify(detections).length).toBeLessThan(1_000_000);
  });
});
