import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";

const ASSETS = join(import.meta.dirname, "../../src/web/dashboard/assets");

interface Found {
  readonly id: string;
  readonly category: string | null;
  readonly confidence: number | null;
  readonly redacted: boolean;
}

interface Sight extends EventTarget {
  readonly faintCount: number;
  readonly candidateCount: number;
  isFaint: (key: string) => boolean;
  isDrawn: (key: string) => boolean;
  isListed: (key: string) => boolean;
  showAll: (isAll: boolean) => void;
  showCandidates: (areShown: boolean) => void;
  keep: (keys: readonly string[]) => void;
  peek: (keys: readonly string[]) => void;
}

/** A script of the dashboard as browsers run it. */
const { EditorSight } = (await import(pathToFileURL(join(ASSETS, "editor-sight.ts")).href)) as {
  EditorSight: new (
    found: readonly Found[],
    thresholds: object | null,
    options?: { isMasksOnly: boolean },
  ) => Sight;
};

const THRESHOLDS = { low: { heads: 0.6 }, normal: { heads: 0.45 }, high: { heads: 0.3 } };
const FOUND: readonly Found[] = [
  { id: "hidden", category: "heads", confidence: 0.5, redacted: true },
  { id: "doubtful", category: "heads", confidence: 0.3, redacted: false },
  { id: "faint", category: "heads", confidence: 0.29, redacted: false },
  { id: "fainter", category: "heads", confidence: 0.1, redacted: false },
  { id: "hidden though faint", category: "heads", confidence: 0.1, redacted: true },
  { id: "asked for", category: null, confidence: null, redacted: false },
  { id: "of no threshold", category: "screens", confidence: 0.1, redacted: false },
];

function drawn(sight: Sight): string[] {
  return FOUND.map(({ id }) => id).filter((id) => sight.isDrawn(id));
}

const USUAL = ["hidden", "doubtful", "hidden though faint", "asked for", "of no threshold"];

describe("what an editor draws of all that was found", () => {
  test("contains what high sensitivity would hide, hidden detections, and requested ones", () => {
    const sight = new EditorSight(FOUND, THRESHOLDS);
    expect(sight.faintCount).toBe(2);
    expect(drawn(sight)).toEqual(USUAL);
  });

  test("contains everything if no threshold is known", () => {
    const sight = new EditorSight(FOUND, null);
    expect(sight.faintCount).toBe(0);
    expect(drawn(sight)).toHaveLength(FOUND.length);
  });

  test("is a faint candidate too while it is pointed at, without a lane of its own", () => {
    const sight = new EditorSight(FOUND, THRESHOLDS);
    sight.peek(["faint"]);
    expect(sight.isDrawn("faint")).toBe(true);
    expect(sight.isListed("faint")).toBe(false);
    sight.peek([]);
    expect(drawn(sight)).toEqual(USUAL);
  });

  test("is one that was chosen from then on, and all of them while all are asked for", () => {
    const sight = new EditorSight(FOUND, THRESHOLDS);
    sight.keep(["fainter", "hidden"]);
    expect(sight.isListed("fainter")).toBe(true);
    sight.showAll(true);
    expect(drawn(sight)).toHaveLength(FOUND.length);
    sight.showAll(false);
    expect(sight.isDrawn("faint")).toBe(false);
    expect(sight.isDrawn("fainter")).toBe(true);
  });

  test("is the masks alone in a video, until the candidates are asked for", () => {
    const sight = new EditorSight(FOUND, THRESHOLDS, { isMasksOnly: true });
    const masks = ["hidden", "hidden though faint"];
    expect(sight.candidateCount).toBe(3);
    expect(drawn(sight)).toEqual(masks);
    sight.peek(["doubtful"]);
    expect(sight.isDrawn("doubtful")).toBe(true);
    expect(sight.isListed("doubtful")).toBe(false);
    sight.peek([]);
    sight.showCandidates(true);
    expect(drawn(sight)).toEqual(USUAL);
    sight.keep(["doubtful"]);
    sight.showCandidates(false);
    expect(drawn(sight)).toEqual(["hidden", "doubtful", "hidden though faint"]);
  });

  test("tells of changes, and only of those", () => {
    const sight = new EditorSight(FOUND, THRESHOLDS);
    let changes = 0;
    sight.addEventListener("change", () => (changes += 1));
    sight.peek([]);
    sight.keep(["hidden"]);
    expect(changes).toBe(0);
    sight.peek(["faint"]);
    sight.keep(["faint"]);
    expect(changes).toBe(2);
  });
});
