import { expect, test } from "vitest";
import {
  mergeFindings,
  MOST_FINDINGS,
  type TimedFinding,
} from "../../src/records/verification/merge-findings.ts";
import {
  framesToVerify,
  judgeFrame,
  unseenGaps,
  type PaintedSegment,
} from "../../src/work/video/steps/verify-frames.ts";
import type { Box } from "../../src/pixels/geometry/box.ts";
import type { FrameDetection } from "../../src/work/video/tracks/frame-sample.ts";
import { clipTracks, type Track } from "../../src/work/video/tracks/track.ts";

const FRAMES = Array.from({ length: 100 }, (_, frame) => ({ timestampSeconds: 7 + frame / 10 }));
const WHOLE = { firstFrame: 0, frames: FRAMES.length };
const PLACE: Box = [0.4, 0.4, 0.2, 0.2];

function code(box: Box = PLACE, confidence = 0.9): FrameDetection {
  return { category: "qr_codes", confidence, box };
}

function track(seen: readonly number[], box: Box = PLACE): Track {
  const [first = 0, last = first] = [seen[0], seen.at(-1)];
  const points = [...new Set([first, last])].map((frameIndex) => ({ frameIndex, box }));
  return { id: 1, category: "qr_codes", confidence: 0.9, seen, points };
}

function segment(parts: Partial<PaintedSegment> = {}): PaintedSegment {
  return {
    size: { width: 640, height: 360 },
    video: { frames: FRAMES, orientation: 1 },
    tracks: [track([0, 3, 10])],
    candidates: [],
    before: [0, 3, 6, 10].map((frameIndex) => ({ frameIndex, detections: [code()] })),
    ignoreRegions: [],
    isRevision: false,
    ...parts,
  };
}

test("every sampled frame and the middle of every gap is read again, each once", () => {
  // The sample at 6 did not show the track that was seen at 3 and 10. Its middle at 6 is that sample.
  expect(framesToVerify(segment(), WHOLE)).toEqual([0, 3, 6, 10]);
  const missed = segment({ tracks: [track([0, 10]), track([0, 10])] });
  expect(framesToVerify(missed, WHOLE)).toEqual([0, 3, 5, 6, 10]);
  expect(framesToVerify(missed, { firstFrame: 5, frames: 4 })).toEqual([5, 6]);
});

test("between sightings in consecutive samples there is no gap, unless one of them is in another segment", () => {
  const seen = segment({ tracks: [track([0, 3, 6, 10])] });
  expect(framesToVerify(seen, WHOLE)).toEqual([0, 3, 6, 10]);
  expect(framesToVerify(seen, { firstFrame: 8, frames: 20 })).toEqual([8, 10]);
});

test("a middle at less than the shortest time from a sample is that sample", () => {
  const frames = Array.from({ length: 100 }, (_, frame) => ({ timestampSeconds: frame / 30 }));
  const near = segment({ video: { frames, orientation: 1 }, tracks: [track([0, 10])] });
  expect(framesToVerify(near, WHOLE)).toEqual([0, 3, 6, 10]);
  const before = [0, 2, 10].map((frameIndex) => ({ frameIndex, detections: [code()] }));
  expect(framesToVerify({ ...near, before }, WHOLE)).toEqual([0, 2, 5, 10]);
});

test("a track that was not seen for more than half a second is reported by the segment of the middle", () => {
  expect(unseenGaps(segment(), WHOLE)).toEqual([
    {
      kind: "unseen_gap",
      category: "qr_codes",
      confidence: 0.9,
      box: [0.4, 0.4, 0.2, 0.2],
      startSeconds: 0.3,
      endSeconds: 1,
    },
  ]);
  expect(unseenGaps(segment(), { firstFrame: 0, frames: 6 })).toEqual([]);
  expect(unseenGaps(segment({ tracks: [track([0, 5, 10])] }), WHOLE)).toEqual([]);
});

test("a part of a track knows the sightings around it", () => {
  const [part] = clipTracks([track([0, 4, 8, 30, 40, 44])], 10, 20);
  expect(part?.seen).toEqual([8, 30]);
});

test("a detection at the same place as before, in a sampled frame and between two, is a finding", () => {
  for (const frameIndex of [3, 1]) {
    expect(judgeFrame({ frameIndex, detections: [code()] }, segment()).findings).toMatchObject([
      { kind: "found_again", category: "qr_codes", startSeconds: frameIndex / 10 },
    ]);
  }
});

test("between two samples it is expected on its way", () => {
  const [from, to]: readonly Box[] = [
    [0.2, 0.4, 0.2, 0.2],
    [0.3, 0.4, 0.2, 0.2],
  ];
  const points = [
    { frameIndex: 0, box: from ?? PLACE },
    { frameIndex: 10, box: to ?? PLACE },
  ];
  const moving = segment({
    tracks: [{ id: 1, category: "qr_codes", confidence: 0.9, seen: [0, 10], points }],
    before: [
      { frameIndex: 0, detections: [code(from)] },
      { frameIndex: 10, detections: [code(to)] },
    ],
  });
  const seen = { frameIndex: 5, detections: [code([0.25, 0.4, 0.2, 0.2])] };
  expect(judgeFrame(seen, moving).findings).toHaveLength(1);
  expect(judgeFrame({ frameIndex: 5, detections: [] }, moving).findings).toEqual([]);
});

test.for<{ name: string; thing: FrameDetection; parts: Partial<PaintedSegment> }>([
  { name: "a mask that looks a little like a code", thing: code([0.38, 0.36, 0.3, 0.3], 0.5), parts: {} },
  {
    name: "a mask that looks like the head that it hides, from its place on the shoulders",
    thing: code([0.395, 0.39, 0.21, 0.22], 0.81),
    parts: {},
  },
  { name: "a faint detection", thing: code(PLACE, 0.2), parts: {} },
  {
    name: "what was faint before and stays visible",
    thing: code(PLACE, 0.4),
    parts: { tracks: [], before: [{ frameIndex: 3, detections: [code(PLACE, 0.4)] }] },
  },
  {
    name: "what is certain in this frame, but whose track is a candidate",
    thing: code(),
    parts: { tracks: [], candidates: [track([0, 3, 10])] },
  },
  { name: "what a person left visible", thing: code(), parts: { tracks: [], isRevision: true } },
  {
    name: "what lies in a region to leave visible",
    thing: code(),
    parts: { tracks: [], ignoreRegions: [{ box: [0.3, 0.3, 0.4, 0.4] } as never] },
  },
])("$name is no finding", ({ thing, parts }) => {
  expect(judgeFrame({ frameIndex: 3, detections: [thing] }, segment(parts))).toEqual({
    findings: [],
    bare: [],
  });
});

test("a certain detection without any mask is a finding even if the records have none, and lies bare", () => {
  const { findings, bare } = judgeFrame({ frameIndex: 3, detections: [code()] }, segment({ tracks: [] }));
  expect(findings).toHaveLength(1);
  expect(bare).toMatchObject([{ category: "qr_codes", box: PLACE }]);
});

test("a certain detection that a mask hardly covers is that of the nearer track, hidden or not", () => {
  const seen = { frameIndex: 3, detections: [code()] };
  const shifted = segment({ tracks: [track([0, 3, 10], [0.48, 0.4, 0.2, 0.2])] });
  const findingsBeside = (box: Box): number =>
    judgeFrame(seen, { ...shifted, candidates: [track([0, 3, 10], box)] }).findings.length;
  expect(findingsBeside([0.5, 0.4, 0.2, 0.2])).toBe(1);
  expect(findingsBeside([0.41, 0.4, 0.2, 0.2])).toBe(0);
});

test("what a second look denies is not painted, though it is a finding where something was to be hidden", () => {
  const denied = { ...code(), confirmed: false };
  const { findings, bare } = judgeFrame({ frameIndex: 3, detections: [denied] }, segment({ tracks: [] }));
  expect([findings.length, bare]).toEqual([1, []]);
});

test("what looks under its mask as it did before is a finding, but a mask hides it", () => {
  expect(judgeFrame({ frameIndex: 3, detections: [code()] }, segment()).bare).toEqual([]);
});

function finding(startSeconds: number, parts: Partial<TimedFinding> = {}): TimedFinding {
  return {
    kind: "found_again",
    category: "heads",
    confidence: 0.5,
    box: PLACE,
    startSeconds,
    endSeconds: startSeconds + 0.1,
    ...parts,
  };
}

test("findings of one thing in consecutive frames become one, with its surest place", () => {
  const surest: Box = [0.45, 0.4, 0.2, 0.2];
  expect(mergeFindings([finding(0.3), finding(0), finding(0.6, { confidence: 0.9, box: surest })])).toEqual([
    finding(0, { endSeconds: 0.7, confidence: 0.9, box: surest }),
  ]);
});

test("findings apart in time or place, of two categories, or gaps stay apart", () => {
  const apart = [
    finding(0),
    finding(0, { box: [0, 0, 0.1, 0.1] }),
    finding(0, { category: "tattoos" }),
    finding(1),
  ];
  expect(mergeFindings(apart)).toHaveLength(4);
  expect(mergeFindings([0, 0.5].map((at) => finding(at, { kind: "unseen_gap" })))).toHaveLength(2);
});

test("of too many findings the most confident are left, in the order of time", () => {
  const many = Array.from({ length: MOST_FINDINGS + 50 }, (_, index) =>
    finding(2 * index, { confidence: index < 50 ? 0.4 : 0.6 }),
  );
  const left = mergeFindings(many);
  expect(left).toHaveLength(MOST_FINDINGS);
  expect(left[0]?.startSeconds).toBe(100);
});
