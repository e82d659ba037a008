import { describe, expect, it } from "vitest";
import { boundsOf } from "../src/geometry/box.ts";
import type { Box, Point } from "../src/geometry/box.ts";
import type { Detection } from "../src/detections/detection.ts";
import { settleCodes } from "../src/codes/settle-codes.ts";

const SIZE = { width: 1000, height: 500 };

/** The reader's detection of a code with the given corners in pixels. */
function read(corners: readonly Point[], other: Partial<Detection> = {}): Detection {
  const polygon = corners.map(([x, y]): Point => [x / SIZE.width, y / SIZE.height]);
  return { category: "qr_codes", confidence: 1, box: boundsOf(polygon), polygon, ...other };
}

/** A network's detection with the given box in pixels. */
function seen([left, top, right, bottom]: readonly [number, number, number, number]): Detection {
  const { width, height } = SIZE;
  const box = { left: left / width, top: top / height, right: right / width, bottom: bottom / height };
  return { category: "qr_codes", confidence: 0.8, box };
}

function boundsInPixels({ left, top, right, bottom }: Box): number[] {
  return [left * SIZE.width, top * SIZE.height, right * SIZE.width, bottom * SIZE.height].map(Math.round);
}

const turned = read([
  [500, 100],
  [600, 200],
  [500, 300],
  [400, 200],
]);

describe("a code that was read and seen", () => {
  it("has its own outline and not the box around it too", () => {
    expect(settleCodes([seen([400, 100, 600, 300])], [turned], SIZE)).toEqual([turned]);
  });

  it("reaches to where the network saw its edges, but no further than a quiet zone", () => {
    const upright = read([
      [100, 100],
      [200, 100],
      [200, 200],
      [100, 200],
    ]);
    const [near] = settleCodes([seen([96, 100, 200, 205])], [upright], SIZE);
    expect(boundsInPixels(near?.box ?? upright.box)).toEqual([96, 100, 200, 205]);
    const [far] = settleCodes([seen([80, 80, 210, 210])], [upright], SIZE);
    expect(boundsInPixels(far?.box ?? upright.box)).toEqual([92, 92, 208, 208]);
  });

  it("is as high as the network saw its bars, where the reader lost them", () => {
    const bars = read(
      [
        [100, 100],
        [300, 100],
        [300, 160],
        [100, 160],
      ],
      { category: "barcodes" },
    );
    const [whole] = settleCodes([{ ...seen([80, 95, 305, 200]), category: "barcodes" }], [bars], SIZE);
    expect(boundsInPixels(whole?.box ?? bars.box)).toEqual([88, 95, 305, 200]);
  });

  it("keeps both where they do not agree, where it was not read, and where it is another kind", () => {
    const box = seen([400, 100, 600, 300]);
    const partly = read([
      [400, 100],
      [600, 100],
      [600, 180],
      [400, 180],
    ]);
    const others = [partly, { ...turned, confidence: 0.6 }, { ...turned, category: "barcodes" as const }];
    for (const code of others) expect(settleCodes([box], [code], SIZE)).toEqual([box, code]);
  });

  it("is not changed by a candidate", () => {
    const candidate = { ...seen([390, 90, 610, 310]), isCandidate: true };
    expect(settleCodes([candidate], [turned], SIZE)).toEqual([candidate, turned]);
  });
});
