import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert, constantFrom, double, property, record } from "fast-check";
import { describe, expect, test } from "vitest";
import {
  maskRules,
  regionsFromDetections,
  type MaskRules,
} from "../../src/pixels/redaction/regions/regions.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../../src/ground/vocabulary/categories.ts";

const ASSETS = join(import.meta.dirname, "../../src/web/dashboard/assets");

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Keyframe {
  readonly time_seconds: number;
  readonly box: Box;
}

interface Bar {
  readonly key: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly isHidden: boolean;
}

interface MutedRange {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly sound: "silence" | "tone";
}

interface State {
  readonly muted: readonly MutedRange[];
  addMuted: (range: MutedRange) => void;
  switchMuted: (range: MutedRange) => void;
  trim: (key: string, side: "start" | "end", seconds: number) => string;
  split: (key: string, seconds: number) => string;
  merge: (one: string, other: string) => void;
  toggle: (key: string) => void;
  removeRegion: (key: string) => void;
  addRegion: (kind: "box", box: Box) => string;
  placeRegion: (key: string, box: Box) => void;
  toggleKeyframe: (key: string) => string;
  readonly isMuted: boolean;
  readonly isChanged: boolean;
  mute: (isMuted: boolean) => void;
  undo: () => void;
  lanes: () => { readonly key: string; readonly bars: readonly Bar[] }[];
  revision: () => { redact: string[]; regions: object[]; audio?: string; mute_ranges?: object[] };
  reasonOf: (key: string) => string | null | undefined;
  giveReason: (key: string, code: string | null) => void;
  printReasons: (arePrinted: boolean) => void;
}

/** A script of the dashboard as browsers run it. */
async function script(name: string): Promise<unknown> {
  return await import(pathToFileURL(join(ASSETS, name)).href);
}

const { maskAround } = (await script("video-masks.ts")) as {
  maskAround: (
    detection: { category: RedactionCategory; confidence: number },
    box: Box,
    picture: { width: number; height: number; rules: MaskRules },
  ) => { shape: string; box: Box };
};
const { boxAt, thinKeyframes } = (await script("video-tracks.ts")) as {
  boxAt: (keyframes: readonly Keyframe[], seconds: number) => Box;
  thinKeyframes: (keyframes: readonly Keyframe[]) => Keyframe[];
};
const { VideoState } = (await script("video-state.ts")) as {
  VideoState: new (
    detections: readonly object[],
    parts: {
      video: {
        durationSeconds: number;
        isMuted?: boolean;
        isSpeechMuted?: boolean;
        mutedRanges?: readonly MutedRange[];
        reasons?: object;
      };
      now: () => number;
      maskOf: (one: object, box: Box) => Box;
    },
  ) => State;
};

const BOX = { x: 0.4, y: 0.4, width: 0.1, height: 0.1 };

function foundThing(id: string, from: number, until: number, redacted: boolean): object {
  return {
    id,
    category: "heads",
    confidence: 0.9,
    redacted,
    box: BOX,
    start_seconds: from,
    end_seconds: until,
    keyframes: [
      { time_seconds: from, box: BOX },
      { time_seconds: until, box: { ...BOX, x: 0.6 } },
    ],
  };
}

/** Two detections, one after the other, in a video of ten seconds. */
function twoThings(): { state: State; showAt: (seconds: number) => void } {
  let now = 0;
  const state = new VideoState([foundThing("a", 1, 3, true), foundThing("b", 5, 7, false)], {
    video: { durationSeconds: 10 },
    now: () => now,
    maskOf: (_one, box) => box,
  });
  return { state, showAt: (seconds) => (now = seconds) };
}

describe("the video editor's scripts", () => {
  test("show masks as they are painted over tracks", () => {
    const share = double({ min: 0, max: 0.5, noNaN: true });
    assert(
      property(
        constantFrom(...REDACTION_CATEGORIES),
        double({ min: 0, max: 1, noNaN: true }),
        record({ x: share, y: share, width: share, height: share }),
        constantFrom({ width: 1920, height: 1080 }, { width: 480, height: 640 }),
        (category, confidence, box, size) => {
          const shown = maskAround({ category, confidence }, box, { ...size, rules: maskRules() });
          const detection = { category, confidence, box: [box.x, box.y, box.width, box.height] as const };
          const [painted] = regionsFromDetections([detection], size, "moving");
          expect(shown.shape).toBe(painted?.shape);
          const { x, y, width, height } = shown.box;
          for (const [index, side] of [x, y, width, height].entries())
            expect(side).toBeCloseTo(painted?.box[index] ?? Number.NaN, 9);
        },
      ),
    );
  });

  test("begin with the sound as it is, and ask for a change alone", () => {
    const parts = { now: () => 0, maskOf: (_one: object, box: Box) => box };
    const silent = new VideoState([], { video: { durationSeconds: 10, isMuted: true }, ...parts });
    expect([silent.isMuted, silent.isChanged, silent.revision().audio]).toEqual([true, false, undefined]);
    silent.mute(false);
    expect([silent.isChanged, silent.revision().audio]).toEqual([true, "keep"]);
    const { state } = twoThings();
    state.mute(true);
    expect(state.revision().audio).toBe("mute");
  });

  test("give masks reasons: chosen ones, those that they have, and those of their category", () => {
    const privacy = { code: "P", text: "Privacy" };
    const state = new VideoState(
      [{ ...foundThing("a", 1, 3, true), reason: privacy }, foundThing("b", 5, 7, true)],
      {
        video: {
          durationSeconds: 10,
          reasons: { list: [privacy], defaults: { heads: "D" }, isPrinted: false },
        },
        now: () => 2,
        maskOf: (_one, box) => box,
      },
    );
    expect([state.reasonOf("a"), state.reasonOf("b"), state.isChanged]).toEqual(["P", "D", false]);
    state.giveReason("b", "P");
    expect(state.revision()).toEqual({ redact: ["a", "b"], regions: [], reasons: { b: "P" } });
    state.giveReason("b", "D");
    expect(state.isChanged).toBe(false);
    state.giveReason("b", null);
    const part = state.split("a", 2);
    const added = state.addRegion("box", BOX);
    state.giveReason(added, "P");
    expect(state.reasonOf(part)).toBe("P");
    expect(state.revision()).toMatchObject({
      redact: ["b"],
      regions: [{ reason: "P" }, { reason: "P" }, { reason: "P" }],
      reasons: { b: null },
    });
    state.printReasons(true);
    expect(state.revision()).toHaveProperty("burn_in_reasons", true);
    for (let step = 0; step < 7; step++) state.undo();
    expect(state.isChanged).toBe(false);
  });

  test("mute all speech by its name, and the rest of it range by range", () => {
    const parts = { now: () => 0, maskOf: (_one: object, box: Box) => box };
    const speech = { startSeconds: 1, endSeconds: 2, sound: "silence", isSpeech: true, isOn: true } as const;
    const mutedRanges = [speech, { ...speech, startSeconds: 5, endSeconds: 6 }];
    const video = { durationSeconds: 10, isSpeechMuted: true, mutedRanges };
    const state = new VideoState([], { video, ...parts });
    expect(state.isChanged).toBe(false);
    state.addMuted({ startSeconds: 3, endSeconds: 4, sound: "tone" });
    const own = { start_seconds: 3, end_seconds: 4, sound: "tone" };
    expect(state.revision()).toMatchObject({ audio: "mute_speech", mute_ranges: [own] });
    state.switchMuted(state.muted[0] ?? speech);
    const left = { start_seconds: 5, end_seconds: 6, sound: "silence" };
    expect(state.revision()).toMatchObject({ audio: "keep", mute_ranges: [own, left] });
    state.undo();
    state.undo();
    expect(state.isChanged).toBe(false);
  });

  test("move boxes evenly between keyframes, and keep few of those that were led", () => {
    const keyframes = Array.from({ length: 31 }, (_, index) => {
      const along = index <= 15 ? index : 15;
      return { time_seconds: index / 30, box: { ...BOX, x: 0.1 + along * 0.01 } };
    });
    const few = thinKeyframes(keyframes);
    expect(few.map(({ time_seconds: time }) => Math.round(time * 30))).toEqual([0, 15, 30]);
    for (const { time_seconds: time, box } of keyframes) expect(boxAt(few, time).x).toBeCloseTo(box.x, 2);
    expect(boxAt(few, -1)).toEqual(few[0]?.box);
    expect(boxAt(few, 9)).toEqual(few.at(-1)?.box);
  });

  test("hide a part of a detection by a region of its category, from one frame to another", () => {
    const { state } = twoThings();
    const part = state.trim("a", "end", 2);
    expect(state.trim(part, "start", 1.5)).toBe(part);
    const { redact, regions } = state.revision();
    expect(redact).toEqual([]);
    expect(regions).toEqual([
      {
        category: "heads",
        start_seconds: 1.501,
        end_seconds: 2.001,
        keyframes: [
          { time_seconds: 1, box: { x: 0.39, y: 0.39, width: 0.12, height: 0.12 } },
          { time_seconds: 3, box: { x: 0.59, y: 0.39, width: 0.12, height: 0.12 } },
        ],
      },
    ]);
    expect(state.lanes()).toHaveLength(2);
    state.undo();
    state.undo();
    expect(state.revision()).toEqual({ redact: ["a"], regions: [] });
  });

  test("split a detection into parts that leave no frame out, each of which can go", () => {
    const { state } = twoThings();
    const second = state.split("a", 2);
    const [lane] = state.lanes();
    expect(lane?.bars.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds])).toEqual([
      [1, 1.998],
      [2, 3],
    ]);
    state.removeRegion(second);
    const { redact, regions } = state.revision();
    expect(redact).toEqual([]);
    expect(regions).toMatchObject([{ start_seconds: 1.001, end_seconds: 1.999 }]);
    // Hiding the whole detection again replaces its parts.
    state.toggle("a");
    expect(state.revision()).toEqual({ redact: ["a"], regions: [] });
  });

  test("merge two detections: both are hidden, and what lies between them", () => {
    const { state } = twoThings();
    state.merge("b", "a");
    const { redact, regions } = state.revision();
    expect(redact.sort()).toEqual(["a", "b"]);
    expect(regions).toMatchObject([
      {
        category: "heads",
        start_seconds: 3.001,
        end_seconds: 5.001,
        keyframes: [{ time_seconds: 3 }, { time_seconds: 5 }],
      },
    ]);
    expect(state.lanes().map(({ bars }) => bars.length)).toEqual([3]);
  });

  test("hide a static mask all the time, and move it once it has a second keyframe", () => {
    const { state, showAt } = twoThings();
    const key = state.addRegion("box", BOX);
    expect(state.revision().regions).toEqual([{ box: BOX }]);
    showAt(4);
    state.placeRegion(key, { ...BOX, x: 0.2 });
    expect(state.revision().regions).toMatchObject([{ box: { x: 0.2, y: 0.4 } }]);
    showAt(6);
    state.toggleKeyframe(key);
    state.placeRegion(key, { ...BOX, x: 0.5 });
    expect(state.revision().regions).toMatchObject([
      {
        keyframes: [
          { time_seconds: 4, box: { x: 0.2 } },
          { time_seconds: 6, box: { x: 0.5 } },
        ],
      },
    ]);
    state.mute(true);
    expect(state.revision().audio).toBe("mute");
  });
});
