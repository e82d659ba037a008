import { describe, expect, it } from "vitest";
import type { RedactionCategory } from "../../src/ground/vocabulary/categories.ts";
import { isConfirmed, isCredible } from "../../src/work/video/tracks/confidence.ts";

function seenAt(confidences: readonly number[], category: RedactionCategory = "documents") {
  return confidences.map((confidence) => ({ category, confidence }));
}

function judged(verdicts: readonly (boolean | undefined)[], confidence = 0.7) {
  return verdicts.map((confirmed) => ({ category: "heads", confidence, confirmed }) as const);
}

describe("a chain of sightings", () => {
  it("is hidden for one that is certain, however faint the others are", () => {
    expect(isCredible(seenAt([0.5]))).toBe(true);
    expect(isCredible(seenAt([0.12, 0.13, 0.9, 0.12, 0.12, 0.12]))).toBe(true);
  });

  it("is hidden for several that are likely together", () => {
    expect(isCredible(seenAt([0.4, 0.36, 0.34]))).toBe(true);
    expect(isCredible(seenAt([0.15, 0.4, 0.2, 0.38, 0.12, 0.37]))).toBe(true);
  });

  it("is not hidden for a flash of faint ones", () => {
    expect(isCredible(seenAt([0.45]))).toBe(false);
    expect(isCredible(seenAt([0.45, 0.4]))).toBe(false);
    expect(isCredible(seenAt([0.45, 0.3, 0.25, 0.25, 0.25, 0.25]))).toBe(false);
    expect(isCredible([])).toBe(false);
  });

  it("needs more where more is found by mistake, and counts each sighting as what it was taken for", () => {
    const likely = [0.42, 0.41, 0.4];
    expect(isCredible(seenAt(likely, "tattoos"))).toBe(true);
    expect(isCredible(seenAt(likely, "street_signs"))).toBe(false);
    expect(isCredible([...seenAt([0.4, 0.38], "id_cards"), ...seenAt([0.37], "passports")])).toBe(true);
  });

  it("is not hidden where second looks were taken and none confirms it, and is where one does", () => {
    expect(isCredible(judged([undefined, false, undefined]))).toBe(false);
    expect(isCredible(judged([false, true, undefined]))).toBe(true);
    expect(isCredible(judged([undefined, undefined]))).toBe(true);
    expect(isCredible(judged([undefined, false], 0.75))).toBe(true);
    // A confirmation is not another sighting, so a chain that was too faint stays too faint.
    expect(isCredible(judged([true], 0.45))).toBe(false);
  });

  it("is confirmed by less at a higher sensitivity, and never by more than a person asked for", () => {
    const asked = { sensitivity: "normal", minConfidence: undefined } as const;
    expect(isConfirmed(0.19, asked)).toBe(false);
    expect(isConfirmed(0.2, asked)).toBe(true);
    expect(isConfirmed(0.1, { ...asked, sensitivity: "high" })).toBe(true);
    expect(isConfirmed(0.3, { ...asked, sensitivity: "low" })).toBe(false);
    expect(isConfirmed(0.05, { ...asked, minConfidence: 0.05 })).toBe(true);
    expect(isConfirmed(0.2, { ...asked, minConfidence: 0.9 })).toBe(true);
  });
});
