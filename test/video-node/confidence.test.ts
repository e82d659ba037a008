import { describe, expect, it } from "vitest";
import type { RedactionCategory } from "../../src/vocabulary/media-values.ts";
import { isCredible } from "../../src/video/tracks/confidence.ts";

function seenAt(confidences: readonly number[], category: RedactionCategory = "documents") {
  return confidences.map((confidence) => ({ category, confidence }));
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
});
