import { describe, expect, it } from "vitest";
import { decodePublished } from "../src/models/read-answer.ts";
import type { Candidate } from "../src/models/adapters/published-answer.ts";
import type {
  DbTextOutputs,
  DenseOutputs,
  Outputs,
  PicodetOutputs,
  YoloxOutputs,
} from "../src/models/adapters/outputs.ts";
import { planPasses } from "../src/models/plan-passes.ts";
import { dbTextMapOf, decodeText } from "../src/models/text-map.ts";

function decode(
  outputs: Exclude<Outputs, DenseOutputs | DbTextOutputs>,
  size: { width: number; height: number },
  given: Record<string, Float32Array>,
): Candidate[] {
  return decodePublished(outputs, {
    output: (name) => {
      const found = given[name];
      if (found === undefined) throw new Error(`The test gives no output ${name}.`);
      return found;
    },
    size,
    thresholds: new Map([
      ["heads", 0.5],
      ["screens", 0.5],
      ["license_plates", 0.5],
    ]),
  });
}

/** Zeros but for some places. */
function values(length: number, places: Record<number, number>): Float32Array {
  const all = new Float32Array(length);
  for (const [index, value] of Object.entries(places)) all[Number(index)] = value;
  return all;
}

describe("a published detector's answer is read:", () => {
  it("YuNet: centre in strides, sides as logarithms, the mean of two scores", () => {
    const size = { width: 64, height: 32 };
    const [candidate, ...others] = decode({ kind: "yunet", category: "heads", strides: [8] }, size, {
      // Row 2, column 3 of a grid of 8 × 4.
      cls_8: values(32, { 19: 0.81, 20: 0.2 }),
      obj_8: values(32, { 19: 1.5, 20: 1 }),
      bbox_8: values(128, { 76: 0.5, 77: 0.25, 78: Math.log(2), 79: Math.log(4) }),
    });
    expect(others).toEqual([]);
    expect(candidate?.confidence).toBeCloseTo(0.9);
    expect(candidate?.box.left).toBeCloseTo(20);
    expect(candidate?.box.right).toBeCloseTo(36);
    expect(candidate?.box.top).toBeCloseTo(2);
    expect(candidate?.box.bottom).toBeCloseTo(34);
  });

  it("UltraFace: corners in shares of the input, the second score", () => {
    const outputs = { kind: "ultraface", category: "heads", scores: "scores", boxes: "boxes" } as const;
    const found = decode(
      outputs,
      { width: 640, height: 480 },
      {
        scores: Float32Array.of(0.9, 0.1, 0.25, 0.75),
        boxes: Float32Array.of(0, 0, 1, 1, 0.25, 0.5, 0.5, 0.75),
      },
    );
    expect(found).toEqual([
      { category: "heads", confidence: 0.75, box: { left: 160, top: 240, right: 320, bottom: 360 } },
    ]);
  });

  it("YOLOX: several grids, objectness times class, classes that nobody serves left out", () => {
    const outputs: YoloxOutputs = {
      kind: "yolox",
      output: "o",
      strides: [8, 16],
      classes: { "1": "screens" },
    };
    // 4 + 1 points of 5 + 2 numbers; the only one that counts is the grid of stride 16.
    const given = values(35, { 4: 1, 5: 1, 28: 0.5, 29: 0.5, 30: Math.log(0.5), 31: 0, 32: 0.8, 34: 0.75 });
    const [candidate, ...others] = decode(outputs, { width: 16, height: 16 }, { o: given });
    expect(others).toEqual([]);
    expect(candidate?.box.left).toBeCloseTo(4);
    expect(candidate?.box.right).toBeCloseTo(12);
    expect(candidate?.box).toMatchObject({ top: 0, bottom: 16 });
    expect(candidate?.confidence).toBeCloseTo(0.6);
  });

  it("PicoDet: a side's distance is the mean of its distribution", () => {
    const outputs: PicodetOutputs = {
      kind: "picodet",
      strides: [8],
      scores: ["s"],
      boxes: ["b"],
      classes: { "0": "screens" },
    };
    // The point at (12, 4): bins 0 and 1 alike to the left, all else surely one stride.
    const distances = values(4 * 4 * 2, {});
    for (const side of [1, 2, 3]) distances[8 + side * 2 + 1] = 60;
    const [candidate] = decode(
      outputs,
      { width: 16, height: 16 },
      {
        s: Float32Array.of(0, 0.7, 0, 0),
        b: distances,
      },
    );
    expect(candidate?.box).toEqual({ left: 8, top: -4, right: 20, bottom: 12 });
  });

  it("LPD-YuNet: corners against anchors of the published sizes", () => {
    // 40 × 30, 20 × 15, 10 × 7 and 5 × 3 points with 3, 2, 2 and 3 anchors each.
    const points = 1200 * 3 + 300 * 2 + 70 * 2 + 15 * 3;
    const first = 41 * 3 + 1;
    const corners = [
      [-2, -1],
      [2, -1],
      [2, 1],
      [-2, 1],
    ];
    const loc = values(points * 14, {});
    for (const [i, column] of [4, 6, 10, 12].entries()) {
      for (const axis of [0, 1]) loc[first * 14 + column + axis] = 10 * (corners[i]?.[axis] ?? 0);
    }
    const found = decode(
      { kind: "lpd_yunet", category: "license_plates" },
      { width: 320, height: 240 },
      {
        loc,
        conf: values(points * 2, { [first * 2 + 1]: 1 }),
        iou: values(points, { [first]: 0.64 }),
      },
    );
    expect(found).toHaveLength(1);
    expect(found[0]?.confidence).toBeCloseTo(0.8);
    // The second anchor, 16 pixels, at (12, 12).
    expect(found[0]?.box.left).toBeCloseTo(-20);
    expect(found[0]?.box.bottom).toBeCloseTo(28);
  });

  it("PP-OCR: a core's rectangle grows by area times ratio over perimeter", () => {
    const map = new Float32Array(64 * 32);
    for (let row = 10; row < 14; row += 1) map.fill(0.9, row * 64 + 8, row * 64 + 28);
    const view = { left: 0, top: 0, width: 64, height: 32, scaledWidth: 64, scaledHeight: 32 };
    const text = dbTextMapOf({
      kind: "db_text",
      category: "writing",
      output: "x",
      cell_threshold: 0.3,
      min_cells: 6,
      unclip_ratio: 1.5,
    });
    const picture = { width: 64, height: 32 };
    const [line, ...others] = decodeText(map, text, { sizeMultiple: 32, view, picture, threshold: 0.5 });
    expect(others).toEqual([]);
    // 20 × 4 · 1.5 / 48 = 2.5 pixels on each side.
    expect(line?.box.left).toBeCloseTo(5.5 / 64);
    expect(line?.box.right).toBeCloseTo(30.5 / 64);
    expect(line?.box.top).toBeCloseTo(7.5 / 32);
    expect(line?.polygon).toHaveLength(4);
  });
});

function planned(fit: "fill" | "contain"): unknown {
  return planPasses(
    {
      input: { size_multiple: 32 },
      scales: [{ input: { width: 416, height: 416, fit }, text: false, boxes: true }],
    },
    { width: 1000, height: 500 },
  ).map(({ view }) => view);
}

describe("an input of one size", () => {
  it("is stretched to, or fitted into and padded", () => {
    const whole = { left: 0, top: 0, width: 1000, height: 500 };
    expect(planned("fill")).toEqual([{ ...whole, scaledWidth: 416, scaledHeight: 416 }]);
    expect(planned("contain")).toEqual([
      { ...whole, scaledWidth: 416, scaledHeight: 208, inputWidth: 416, inputHeight: 416 },
    ]);
  });
});
