import { describe, expect, it } from "vitest";
import { type Region, regionsFromDetections } from "../../src/pixels/redaction/regions/regions.ts";
import type { Box } from "../../src/pixels/geometry/box.ts";
import { marginOf, marginShareOf } from "../../src/pixels/redaction/regions/margins.ts";
import type { RedactionCategory } from "../../src/ground/vocabulary/categories.ts";

const SIZE = { width: 1000, height: 500 };
const box = [0.4, 0.4, 0.2, 0.1] as const;

function regionOf(category: RedactionCategory, changes: { confidence?: number; box?: Box } = {}): Region {
  const [region] = regionsFromDetections([{ category, box, confidence: 1, ...changes }], SIZE);
  if (region === undefined) throw new Error("A detection has one region.");
  return region;
}

/** How far a region's bounds reach past the detection's box, in pixels: left, top, right, bottom. */
function reachOf(region: Region, [x, y, width, height]: Box = box): number[] {
  const [left, top, across, down] = region.box;
  const shares = [x - left, y - top, left + across - x - width, top + down - y - height];
  return shares.map((share, side) => share * (side % 2 === 0 ? SIZE.width : SIZE.height));
}

describe("regionsFromDetections", () => {
  it("makes a head the ellipse in its box, a little wider and higher", () => {
    const region = regionOf("heads");
    expect(region.shape).toBe("ellipse");
    const [left = 0, top = 0, right = 0, bottom = 0] = reachOf(region);
    expect(left).toBeCloseTo(right);
    expect(top).toBeCloseTo(bottom);
    // The margin along the longer side is larger; only the part in pixels is the same.
    expect(left - top).toBeCloseTo(marginShareOf(marginOf("heads", "still"), 1) * (200 - 50));
    expect(region.box[2] / box[2]).toBeLessThan(1.2);
  });

  it("takes a head that the picture's edge cuts further past it", () => {
    const cut = [0.4, 0, 0.2, 0.1] as const;
    const [left = 0, top = 0, right = 0, bottom = 0] = reachOf(regionOf("heads", { box: cut }), cut);
    expect(left).toBeCloseTo(right);
    expect(top - bottom).toBeCloseTo(0.25 * 50);
  });

  it("grows a flat thing by as many pixels on each side, by its shorter one", () => {
    const reach = reachOf(regionOf("writing"));
    const shorter = reachOf(regionOf("writing", { box: [0.4, 0.4, 0.2, 0.05] }), [0.4, 0.4, 0.2, 0.05]);
    expect(new Set(reach.map((px) => px.toFixed(6))).size).toBe(1);
    expect((reach[0] ?? 0) - (shorter[0] ?? 0)).toBeCloseTo(
      marginShareOf(marginOf("writing", "still"), 1) * 25,
    );
  });

  it.each(["heads", "license_plates", "writing", "qr_codes", "tattoos"] as const)(
    "grows %s more the less sure the detector is, most when that is not known",
    (category) => {
      const widths = [1, 0.9, 0.7, 0.3, undefined].map(
        (confidence) => regionsFromDetections([{ category, box, confidence }], SIZE)[0]?.box[2] ?? Number.NaN,
      );
      expect(widths.toSorted((a, b) => a - b)).toEqual(widths);
      expect(widths[0]).toBeGreaterThan(box[2]);
      expect(widths[3]).toBeGreaterThan(widths[0] ?? 0);
      expect(widths[4]).toBe(widths[3]);
    },
  );

  it("moves a polygon's sides outwards by as many pixels, whatever its order of corners", () => {
    const polygon = [
      [0.5, 0.2],
      [0.7, 0.6],
      [0.5, 1],
      [0.3, 0.6],
    ] as const;
    const [region] = regionsFromDetections(
      [{ category: "qr_codes", confidence: 1, box: [0.3, 0.2, 0.4, 0.8], polygon: polygon.toReversed() }],
      SIZE,
    );
    expect(region?.shape).toBe("polygon");
    // A square of 200·√2 pixels on its corner: each corner moves out by √2 times what its sides do.
    const bySides = marginShareOf(marginOf("qr_codes", "still"), 1) * 200 * Math.SQRT2 + 2;
    expect(500 * (0.2 - (region?.box[1] ?? 0))).toBeCloseTo(bySides * Math.SQRT2);
    expect(1000 * (0.3 - (region?.box[0] ?? 0))).toBeCloseTo(bySides * Math.SQRT2);
  });

  it("hides the box of a polygon without an area", () => {
    const [region] = regionsFromDetections(
      [
        {
          category: "qr_codes",
          box,
          polygon: [
            [0.1, 0.1],
            [0.2, 0.2],
            [0.3, 0.3],
          ],
        },
      ],
      SIZE,
    );
    expect(region?.shape).toBe("box");
  });
});
