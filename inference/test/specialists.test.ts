import { describe, expect, it } from "vitest";
import type { Category } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import type { Confidences, Finder, Question } from "../src/finders/finder.ts";
import { planErrands, settleFindings } from "../src/pipeline/specialists.ts";

const rules = {
  category: "writing",
  size: { from: 0.02, log_odds_per_doubling: 1 },
  witness: { from_confidence: 0.3, share: 0.25, log_odds: 1, alone_log_odds: 0.5 },
  certainty: 0.5,
} as const;

function finder(id: string, thresholds: Confidences, specialist?: Finder["manifest"]["specialist"]): Finder {
  return {
    manifest: {
      id,
      version: "1",
      sha256: "",
      licence: "",
      thresholds,
      confidence_floor: 0.05,
      specialist,
    },
    categories: Object.keys(thresholds) as Category[],
    waiting: 0,
    find: async () => Promise.resolve([]),
  };
}

const reader = finder("reader", { writing: 2 / 3 }, rules);
const network = finder("network", { heads: 0.5, writing: 0.7 });

const photo: Question = {
  categories: ["heads", "writing"],
  sensitivity: "normal",
  minConfidence: {},
  withCandidates: false,
  isSingleLook: false,
};

function asked(finders: readonly Finder[], question: Question): Record<string, Confidences> {
  return Object.fromEntries(
    planErrands(finders, question).map(
      ({ finder: { manifest }, question: { categories, minConfidence } }) => [
        manifest.id,
        Object.fromEntries(categories.map((category) => [category, minConfidence[category] ?? "usual"])),
      ],
    ),
  );
}

describe("who is asked", () => {
  it("a specialist and its witnesses in photos, both for what they are less sure of", () => {
    const errands = asked([network, reader], photo);
    expect(errands["network"]).toEqual({ heads: "usual", writing: 0.3 });
    // Odds of 2 to 1 at half the log-odds are odds of 4 to 1 before.
    expect(errands["reader"]?.writing).toBeCloseTo(4 / 5);
  });

  it("the others alone in frames of a video, at their own thresholds", () => {
    expect(asked([network, reader], { ...photo, isSingleLook: true })).toEqual({
      network: { heads: "usual", writing: "usual" },
    });
  });

  it("a specialist in frames of a video too where nothing else serves its category", () => {
    const errands = asked([reader], { ...photo, isSingleLook: true });
    expect(Object.keys(errands)).toEqual(["reader"]);
  });

  it("no specialist when its category is not asked for", () => {
    expect(asked([network, reader], { ...photo, categories: ["heads"] })).toEqual({
      network: { heads: "usual" },
    });
  });
});

/** A line in a picture of 1000 × 500 pixels, by its pixels. */
function line(confidence: number, left: number, heightPixels: number): Detection {
  return {
    category: "writing",
    confidence,
    box: { left: left / 1000, top: 0.2, right: (left + 100) / 1000, bottom: 0.2 + heightPixels / 500 },
  };
}

function settle(
  found: { reader?: Detection[]; network?: Detection[] },
  question: Question = photo,
): [left: number, confidence: number][] {
  const findings = planErrands([network, reader], question).map(({ finder: asker, question: errand }) => ({
    finder: asker,
    question: errand,
    found: (asker === reader ? found.reader : found.network) ?? [],
  }));
  return settleFindings(findings, question, { width: 1000, height: 500 }).map(({ box, confidence }) => [
    Math.round(box.left * 1000),
    Math.round(confidence * 100) / 100,
  ]);
}

function witnessed(confidence: number, height: number): ReturnType<typeof settle> {
  return settle({ reader: [line(confidence, 0, height)], network: [line(0.4, 10, height)] });
}

describe("what is found", () => {
  it("counts for less when no witness saw the same", () => {
    expect(settle({ reader: [line(0.9, 0, 20)] })).toEqual([]);
    expect(settle({ reader: [line(0.9, 0, 20)], network: [line(0.4, 10, 20)] })).toEqual([[0, 0.75]]);
    expect(settle({ reader: [line(0.96, 0, 20)] })).toEqual([[0, 0.75]]);
  });

  it("counts for less the larger it is", () => {
    expect(witnessed(0.9, 20)).toEqual([[0, 0.75]]);
    expect(witnessed(0.9, 40)).toEqual([]);
    expect(witnessed(0.96, 40)).toEqual([[0, 0.75]]);
  });

  it("stays when a witness alone is sure of it, and is not reported twice", () => {
    const found = {
      reader: [line(0.9, 0, 20)],
      network: [line(0.95, 5, 20), line(0.8, 500, 20), line(0.75, 700, 20)],
    };
    expect(settle(found)).toEqual([
      [0, 0.75],
      [500, 0.71],
    ]);
  });

  it("follows the least confidence that a request names", () => {
    const found = { reader: [line(0.8, 0, 20)], network: [line(0.65, 700, 20)] };
    expect(settle(found)).toEqual([]);
    expect(settle(found, { ...photo, minConfidence: { writing: 0.5 } })).toEqual([
      [0, 0.55],
      [700, 0.53],
    ]);
  });

  it("is reported as a candidate under the threshold, which takes no sure detection's place", () => {
    const found = { reader: [line(0.6, 0, 20), line(0.6, 500, 20)], network: [line(0.97, 5, 20)] };
    const findings = planErrands([network, reader], { ...photo, withCandidates: true });
    // Down to the floor of .05: what ends there as a witness's own find begins at .08.
    expect(findings[0]?.question.minConfidence.writing).toBeCloseTo(0.08);
    expect(findings[1]?.question.minConfidence.writing).toBeLessThan(0.05);
    const told = settleFindings(
      findings.map(({ finder: asker, question }) => ({
        finder: asker,
        question,
        found: asker === reader ? found.reader : found.network,
      })),
      { ...photo, withCandidates: true },
      { width: 1000, height: 500 },
    );
    expect(told.map(({ box, isCandidate = false }) => [Math.round(box.left * 1000), isCandidate])).toEqual([
      [0, true],
      [500, true],
      [5, false],
    ]);
  });

  it("of other categories is left as it is", () => {
    const head: Detection = { ...line(0.5, 0, 20), category: "heads" };
    expect(settle({ network: [head] })).toEqual([[0, 0.5]]);
  });
});
