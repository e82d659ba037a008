import { describe, expect, it } from "vitest";
import { regionsFromDetections } from "../../src/redaction/index.ts";

describe("regionsFromDetections", () => {
  it("circumscribes the grown box of a head with an ellipse", () => {
    const [region] = regionsFromDetections([{ category: "heads", box: [0.4, 0.4, 0.2, 0.1] }]);
    const halfWidth = 0.1 * 1.3 * Math.SQRT2;
    const halfHeight = 0.05 * 1.3 * Math.SQRT2;
    expect(region?.shape).toBe("ellipse");
    expect(region?.box[0]).toBeCloseTo(0.5 - halfWidth);
    expect(region?.box[1]).toBeCloseTo(0.45 - halfHeight);
    expect(region?.box[2]).toBeCloseTo(2 * halfWidth);
    expect(region?.box[3]).toBeCloseTo(2 * halfHeight);
  });

  it("grows a box by its category's margin on each side", () => {
    const [region] = regionsFromDetections([{ category: "writing", box: [0.1, 0.1, 0.5, 0.1] }]);
    expect(region?.shape).toBe("box");
    expect(region?.box.map((value) => Number(value.toFixed(6)))).toEqual([0, 0.08, 0.7, 0.14]);
  });

  it("scales a polygon about the centre of its bounds", () => {
    const [region] = regionsFromDetections([
      {
        category: "qr_codes",
        box: [0.4, 0.4, 0.2, 0.2],
        polygon: [
          [0.5, 0.4],
          [0.6, 0.5],
          [0.5, 0.6],
          [0.4, 0.5],
        ],
      },
    ]);
    expect(region?.shape).toBe("polygon");
    expect(region?.polygon?.[0]?.[1]).toBeCloseTo(0.37);
    expect(region?.polygon?.[1]?.[0]).toBeCloseTo(0.63);
  });
});
