import { describe, expect, it } from "vitest";
import type { Label, Photo } from "../eval/labels.ts";
import type { Look, Looks } from "../eval/looks.ts";
import { paintedFigures } from "../eval/painted-figures.ts";
import { paint } from "../eval/painted.ts";
import { presenceOn, presenceInFilms } from "../eval/presence.ts";
import type { Category } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";

const SIZE = 400;

function photo(changes: Partial<Photo>): Photo {
  return {
    path: "a.png",
    width: SIZE,
    height: SIZE,
    source: "made",
    labels: [],
    unplaced: [],
    completeFor: new Set<Category>(["screens", "tattoos", "heads"]),
    absent: new Set(),
    hasFacesOnly: false,
    ...changes,
  };
}

function bounds(left: number, top: number, side: number) {
  return {
    left,
    top,
    right: left + side,
    bottom: top + side,
  };
}

function label(category: Category, left: number, side: number, isIgnored = false): Label {
  return {
    category,
    bounds: bounds(left, 100, side),
    quad: undefined,
    isIgnored,
  };
}

function found(category: Category, left: number, side: number, confidence = 0.9): Detection {
  return {
    category,
    confidence,
    box: bounds(left / SIZE, 100 / SIZE, side / SIZE),
  };
}

describe("painted pixels", () => {
  it("are those of the redaction, beside the labelled ones", () => {
    const outcome = paint(photo({ labels: [label("screens", 100, 80)] }), "screens", [
      found("screens", 100, 80),
      found("screens", 300, 40),
    ]);
    expect(outcome?.labelledPixels).toBe(80 * 80);
    expect(outcome?.foundPaintedPixels).toBeGreaterThanOrEqual(80 * 80);
    expect(outcome?.paintedPixels).toBeGreaterThanOrEqual(80 * 80 + 40 * 40);
    expect(outcome?.paintedInBlocks).toBeGreaterThan(outcome?.paintedPixels ?? Infinity);
    expect(outcome?.targets).toEqual([{ share: 1, ellipseShare: 1 }]);
  });

  it("leave out what lies on ignored instances", () => {
    const labels = [label("screens", 100, 80), label("screens", 240, 120, true)];
    const detections = [found("screens", 100, 80), found("screens", 260, 60)];
    const alone = paint(photo({ labels: labels.slice(0, 1) }), "screens", detections.slice(0, 1));
    expect(paint(photo({ labels }), "screens", detections)?.paintedPixels).toBe(alone?.paintedPixels);
  });

  it("say which instances are hidden, and count what was missed as labelled", () => {
    const labels = [label("screens", 20, 80), label("screens", 240, 80)];
    const outcomes = [paint(photo({ labels }), "screens", [found("screens", 20, 80)])].flatMap(
      (one) => one ?? [],
    );
    const figures = paintedFigures(outcomes, { isEllipse: false, leastOfSource: 2 });
    expect(figures).toMatchObject({ targets: 2, painted: 0.5, boxPainted: 0.5 });
    expect(figures?.paintedToFound).toBeCloseTo(2 * (figures?.paintedToLabelled ?? 0));
    expect(Object.keys(figures?.bySource ?? {})).toEqual(["made"]);
  });

  it("of a head must cover the ellipse in its box, not the corners", () => {
    const [target] =
      paint(photo({ labels: [label("heads", 100, 80)] }), "heads", [found("heads", 100, 80)])?.targets ?? [];
    expect(target?.ellipseShare).toBe(1);
  });

  it("say nothing of a photo without an instance", () => {
    expect(paint(photo({}), "screens", [found("screens", 20, 80)])).toBeUndefined();
  });
});

function look(confidence: number, isUsual: boolean): Look {
  const all = [found("tattoos", 20, 80, confidence)];
  return { all, usual: isUsual ? all : [], milliseconds: 1 };
}

describe("presence", () => {
  it("is the share of photos certainly without a category in which it is found", () => {
    const photos = ["a", "b", "c", "d"].map((path, index) =>
      photo({ path, absent: new Set<Category>(index < 3 ? ["tattoos"] : []) }),
    );
    const looks: Looks = {
      served: { categories: ["tattoos", "screens"], models: [] },
      byPath: new Map([
        ["a", look(0.9, true)],
        ["b", look(0.35, false)],
        ["c", look(0.05, false)],
        ["d", look(0.9, true)],
      ]),
    };
    const { tattoos, screens } = presenceOn(photos, looks);
    expect(tattoos).toMatchObject({ photos: 3, thresholdAtLimit: 0.91 });
    expect(tattoos?.share).toBeCloseTo(1 / 3);
    expect(tattoos?.shareFrom["0.3"]).toBeCloseTo(2 / 3);
    expect(screens).toBeUndefined();
  });

  it("in films is the share of those certainly without a category in which any track has it", () => {
    const tattoo = { category: "tattoos" as const };
    const films = [
      { photo: { absent: new Set<Category>(["tattoos", "screens"]) }, tracks: [tattoo, tattoo, tattoo] },
      { photo: { absent: new Set<Category>(["tattoos"]) }, tracks: [{ category: "heads" as const }] },
      { photo: { absent: new Set<Category>(["screens"]) }, tracks: [tattoo] },
    ];
    expect(presenceInFilms(films)).toEqual([
      { category: "screens", films: 2, share: 0, tracks: 0 },
      { category: "tattoos", films: 2, share: 0.5, tracks: 1.5 },
    ]);
  });
});
