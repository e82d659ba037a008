import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { area, boundsOf, intersection, type Point, type ScoredBox } from "../src/geometry/box.ts";
import { swapsSides, toOrientation, toStoredBox, toStoredPoint } from "../src/geometry/orientation.ts";
import { isConvex, isInside } from "../src/geometry/polygon.ts";
import { cornersOf, leastRectangle } from "../src/geometry/rectangle.ts";
import { combineLooks, agreeingShare } from "../src/geometry/agree.ts";
import { suppress } from "../src/geometry/suppress.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const orientation = fc.integer({ min: 1, max: 8 }).map(toOrientation);
const limits = { overlap: 0.5, containment: 0.85 };

const scored: fc.Arbitrary<ScoredBox> = fc
  .record({ x: share, y: share, width: share, height: share, confidence: share })
  .map(({ x, y, width, height, confidence }) => ({
    confidence,
    box: { left: x, top: y, right: x + 0.01 + width, bottom: y + 0.01 + height },
  }));

describe("orientation", () => {
  it("maps the corners as the Exif table of row and column 0 says", () => {
    // Where the upright picture's top left corner lies in the stored one, for 1 to 8.
    const corners = [1, 2, 3, 4, 5, 6, 7, 8].map((value) => toStoredPoint([0, 0], toOrientation(value)));
    expect(corners).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
    ]);
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((value) => swapsSides(toOrientation(value)))).toEqual([
      ...Array.from({ length: 4 }, () => false),
      ...Array.from({ length: 4 }, () => true),
    ]);
  });

  it("keeps boxes boxes, and their areas", () => {
    fc.assert(
      fc.property(scored, orientation, ({ box }, value) => {
        const stored = toStoredBox(box, value);
        expect(stored.right).toBeGreaterThan(stored.left);
        expect(area(stored)).toBeCloseTo(area(box), 9);
      }),
    );
  });

  it("takes unknown values as 1", () => {
    expect([undefined, 0, 9, 6].map(toOrientation)).toEqual([1, 1, 1, 6]);
  });
});

describe("suppression", () => {
  it("keeps the best, keeps nothing that overlaps it, and drops only what does", () => {
    fc.assert(
      fc.property(fc.array(scored, { maxLength: 30 }), (boxes) => {
        const kept = suppress(boxes, limits);
        const overlaps = (weak: ScoredBox, strong: ScoredBox): boolean => {
          const shared = intersection(weak.box, strong.box);
          const union = area(weak.box) + area(strong.box) - shared;
          return shared / union >= limits.overlap || shared / area(weak.box) > limits.containment;
        };
        for (const [i, weak] of kept.entries()) {
          for (const strong of kept.slice(0, i)) expect(overlaps(weak, strong)).toBe(false);
        }
        for (const box of boxes) {
          if (kept.includes(box)) continue;
          expect(kept.some((strong) => strong.confidence >= box.confidence && overlaps(box, strong))).toBe(
            true,
          );
        }
        expect(suppress(kept, limits)).toEqual(kept);
      }),
    );
  });

  it("drops what engulfs a stronger box only where asked to", () => {
    const plate = { box: { left: 0.4, top: 0.6, right: 0.5, bottom: 0.65 }, confidence: 0.9 };
    const car = { box: { left: 0.2, top: 0.2, right: 0.8, bottom: 0.9 }, confidence: 0.6 };
    expect(suppress([car, plate], limits)).toEqual([plate, car]);
    expect(suppress([car, plate], { ...limits, engulfing: 6 })).toEqual([plate]);
    expect(suppress([{ ...car, confidence: 0.95 }, plate], { ...limits, engulfing: 6 })).toHaveLength(1);
  });
});

describe("agreement of two looks", () => {
  const both = { overlap: 0.45, loneShare: 0.85 };
  const looked = fc
    .array(scored, { maxLength: 20 })
    .map((boxes) => suppress(boxes, limits).map(({ box, confidence }) => ({ box, confidence })));
  it("loses no box, and gives none more than the surer look", () => {
    fc.assert(
      fc.property(looked, looked, (own, mirrored) => {
        const together = combineLooks([own, mirrored], both);
        const isSeen = (box: ScoredBox): boolean =>
          together.some((one) => intersection(one.box, box.box) >= both.overlap * area(box.box));
        for (const box of [...own, ...mirrored]) expect(isSeen(box)).toBe(true);
        const surest = Math.max(0, ...[...own, ...mirrored].map(({ confidence }) => confidence));
        for (const { confidence } of together) expect(confidence).toBeLessThanOrEqual(surest);
        expect(together.length).toBeGreaterThanOrEqual(Math.max(own.length, mirrored.length));
      }),
    );
  });

  it("says the same from a confidence on, whatever weaker boxes are left out", () => {
    fc.assert(
      fc.property(looked, looked, share, (own, mirrored, least) => {
        const readFrom = least * agreeingShare(both.loneShare);
        const sure = (boxes: ScoredBox[]): ScoredBox[] =>
          boxes.filter(({ confidence }) => confidence >= readFrom);
        const standing = (boxes: ScoredBox[]): ScoredBox[] =>
          boxes.filter(({ confidence }) => confidence >= least);
        expect(standing(combineLooks([sure(own), sure(mirrored)], both))).toEqual(
          standing(combineLooks([own, mirrored], both)),
        );
      }),
      { numRuns: 10_000 },
    );
  });

  it("leaves two looks that are the same as they are, and lowers what one alone has", () => {
    fc.assert(
      fc.property(looked, (own) => {
        expect(combineLooks([own, own.map((one) => ({ ...one }))], both)).toEqual(own);
        const lowered = own.map((one) => ({ ...one, confidence: one.confidence * both.loneShare }));
        expect(combineLooks([own, []], both)).toEqual(lowered);
        expect(combineLooks([[], own], both)).toEqual(lowered);
      }),
    );
  });

  it("takes the mean confidence and a box around both", () => {
    const one = { box: { left: 0.1, top: 0.1, right: 0.2, bottom: 0.2 }, confidence: 0.75 };
    const other = { box: { left: 0.12, top: 0.1, right: 0.22, bottom: 0.19 }, confidence: 0.625 };
    expect(combineLooks([[one], [other]], both)).toEqual([
      { box: { left: 0.1, top: 0.1, right: 0.22, bottom: 0.2 }, confidence: 0.6875 },
    ]);
    const doubtful = { ...other, confidence: 0.25 };
    expect(combineLooks([[one], [doubtful]], both)).toEqual([{ ...one, confidence: 0.75 * both.loneShare }]);
  });
});

describe("least rectangle", () => {
  const turned = fc.record({
    centre: fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 })),
    angle: fc.double({ min: 0, max: Math.PI, noNaN: true }),
    width: fc.integer({ min: 5, max: 80 }),
    height: fc.integer({ min: 5, max: 80 }),
  });

  it("finds a rectangle again from its corners", () => {
    fc.assert(
      fc.property(turned, ({ centre, angle, width, height }) => {
        const corners = cornersOf({ centre, axis: [Math.cos(angle), Math.sin(angle)], width, height });
        const found = leastRectangle([...corners, centre]);
        expect(found.width * found.height).toBeCloseTo(width * height, 5);
        expect(found.centre[0]).toBeCloseTo(centre[0], 6);
        expect(found.centre[1]).toBeCloseTo(centre[1], 6);
      }),
    );
  });

  it("holds every point", () => {
    const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })), {
      minLength: 3,
      maxLength: 40,
    });
    fc.assert(
      fc.property(points, (list) => {
        const rectangle = leastRectangle(list);
        fc.pre(rectangle.width > 0 && rectangle.height > 0);
        const corners = cornersOf(rectangle, 1e-6);
        for (const point of list) expect(isInside(point, corners)).toBe(true);
      }),
    );
  });
});

describe("polygons", () => {
  const square: readonly Point[] = [
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 4],
  ];

  it("know crossed and dented quadrilaterals", () => {
    expect(isConvex(square)).toBe(true);
    expect(isConvex(square.toReversed())).toBe(true);
    expect(
      isConvex([
        [0, 0],
        [4, 4],
        [4, 0],
        [0, 4],
      ]),
    ).toBe(false);
    expect(
      isConvex([
        [0, 0],
        [4, 0],
        [1, 1],
        [0, 4],
      ]),
    ).toBe(false);
  });

  it("have bounds", () => {
    expect(boundsOf(square)).toEqual({ left: 0, top: 0, right: 4, bottom: 4 });
  });
});
