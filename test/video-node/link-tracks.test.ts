import { describe, expect, it } from "vitest";
import { DETECTION_FLOOR } from "../../src/work/video/tracks/confidence.ts";
import type { Box } from "../../src/pixels/geometry/box.ts";
import type { FrameDetection, FrameSample } from "../../src/work/video/tracks/frame-sample.ts";
import { linkTracks } from "../../src/work/video/tracks/link-tracks.ts";
import { clipTracks, rangeOf, regionsAt } from "../../src/work/video/tracks/track.ts";
import { randomFrom } from "../video/compose/random.ts";

const FRAMES_PER_SECOND = 30;
function framesOf(count: number) {
  return Array.from({ length: count }, (_, index) => ({ timestampSeconds: index / FRAMES_PER_SECOND }));
}

function head(box: Box, confidence = 0.8): FrameDetection {
  return { category: "heads", confidence, box };
}

/** Samples every sixth frame. */
function sampled(count: number, look: (frameIndex: number) => FrameDetection[]): FrameSample[] {
  return Array.from({ length: Math.ceil(count / 6) }, (_, index) => ({
    frameIndex: 6 * index,
    detections: look(6 * index),
  }));
}

/** A head that moves to the right by half its width per second. */
function walking(frameIndex: number): Box {
  return [0.2 + (0.05 * frameIndex) / 30, 0.4, 0.1, 0.15];
}

function covers([x, y, width, height]: Box, [left, top, w, h]: Box): boolean {
  return x <= left && y <= top && x + width >= left + w && y + height >= top + h;
}

describe("linkTracks", () => {
  it("hides a thing in every frame between two samples, and where the detector missed it", () => {
    const samples = sampled(90, (frame) => (frame >= 24 && frame <= 54 ? [] : [head(walking(frame))]));
    const tracks = linkTracks(samples, [], framesOf(90));
    expect(tracks).toHaveLength(1);
    for (let frame = 0; frame < 90; frame++) {
      const [region, ...others] = regionsAt(tracks, frame);
      expect(others).toHaveLength(0);
      expect(region && covers(region.box, walking(frame)), `frame ${frame}`).toBe(true);
    }
  });

  it("begins before the first sighting and ends after the last", () => {
    const samples = sampled(120, (frame) => (frame >= 48 && frame <= 72 ? [head(walking(frame))] : []));
    const [track] = linkTracks(samples, [], framesOf(120));
    const [first, last] = track === undefined ? [] : rangeOf(track);
    expect(first).toBeLessThanOrEqual(42);
    expect(first).toBeGreaterThan(24);
    expect(last).toBeGreaterThanOrEqual(78);
    expect(last).toBeLessThan(96);
  });

  it("keeps what one sample alone has seen", () => {
    const samples = sampled(60, (frame) => (frame === 30 ? [head(walking(30))] : []));
    const tracks = linkTracks(samples, [], framesOf(60));
    expect(tracks).toHaveLength(1);
    for (const frame of [25, 30, 35]) expect(regionsAt(tracks, frame)).toHaveLength(1);
  });

  it("hides no more of a sure thing amid faint clutter than without it", () => {
    const random = randomFrom(5);
    const clutter = (frame: number): FrameDetection[] => {
      const [x, y] = walking(frame);
      return Array.from({ length: 12 }, () => {
        const place: Box = [x + 0.5 * (random() - 0.5), y + 0.5 * (random() - 0.5), 0.1, 0.15];
        return head(place, DETECTION_FLOOR + 0.1 * random());
      });
    };
    const alone = linkTracks(
      sampled(90, (frame) => [head(walking(frame))]),
      [],
      framesOf(90),
    );
    const amid = linkTracks(
      sampled(90, (frame) => [head(walking(frame)), ...clutter(frame)]),
      [],
      framesOf(90),
    );
    expect(amid).toEqual(alone);
  });

  it("takes part of a thing for the thing", () => {
    const samples = sampled(90, (frame) => {
      const [x, y, width, height] = walking(frame);
      const part: Box = [x + 0.1 * width, y + 0.4 * height, 0.5 * width, 0.5 * height];
      return [head(walking(frame)), head(part, 0.4)];
    });
    expect(linkTracks(samples, [], framesOf(90))).toHaveLength(1);
  });

  it("keeps a faint sighting beside a sure one, and none by itself", () => {
    const confidences = new Map([
      [24, DETECTION_FLOOR],
      [30, 0.7],
      [36, DETECTION_FLOOR],
    ]);
    const look = (frame: number) => {
      const confidence = confidences.get(frame);
      return confidence === undefined ? [] : [head(walking(frame), confidence)];
    };
    const [track] = linkTracks(sampled(60, look), [], framesOf(60));
    expect(track === undefined ? [] : rangeOf(track)[0]).toBeLessThanOrEqual(20);
    confidences.delete(30);
    expect(linkTracks(sampled(60, look), [], framesOf(60))).toHaveLength(0);
  });

  it("hides what several looks find likely together, and no flash of what none is sure of", () => {
    const likely = sampled(90, (frame) => [head(walking(frame), 0.38)]);
    expect(linkTracks(likely, [], framesOf(90))).toHaveLength(1);
    const flash = sampled(90, (frame) => (frame === 30 || frame === 36 ? [head(walking(frame), 0.45)] : []));
    expect(linkTracks(flash, [], framesOf(90))).toHaveLength(0);
  });

  it("counts a sighting's deviation as part of the uncertainty, and not as more of it", () => {
    const random = randomFrom(11);
    const off = (): number => 0.16 * (random() - 0.5);
    const plate = (frame: number): FrameDetection => {
      const [x, y] = walking(frame);
      const box: Box = [x + 0.2 * off(), y + 0.1 * off(), 0.2 * (1 + off()), 0.1 * (1 + off())];
      return { category: "license_plates", confidence: 0.9, box };
    };
    const tracks = linkTracks(
      sampled(120, (frame) => [plate(frame)]),
      [],
      framesOf(120),
    );
    const areas = framesOf(120).map((_, frame) => {
      const [, , width = 0, height = 0] = regionsAt(tracks, frame)[0]?.box ?? [];
      return (width * height) / (0.2 * 0.1);
    });
    expect(areas.reduce((sum, area) => sum + area, 0) / areas.length).toBeLessThan(1.4);
  });

  it("bridges no gap between a faint sighting and a sure one that lies elsewhere", () => {
    const elsewhere: Box = [0.32, 0.4, 0.1, 0.15];
    const samples = sampled(90, (frame) => {
      if (frame === 30) return [head(walking(30), DETECTION_FLOOR)];
      return frame >= 54 ? [head(elsewhere)] : [];
    });
    const tracks = linkTracks(samples, [], framesOf(90));
    expect(tracks).toHaveLength(1);
    expect(regionsAt(tracks, 30)).toHaveLength(0);
    expect(regionsAt(tracks, 54)).toHaveLength(1);
  });

  it("never crosses a cut", () => {
    const samples = sampled(90, (frame) => [head(walking(frame))]);
    const tracks = linkTracks(samples, [45], framesOf(90));
    expect(tracks.map(rangeOf)).toEqual([
      [0, 44],
      [45, 89],
    ]);
  });

  it("hides the same in a segment that only knows its part of the tracks", () => {
    const tracks = linkTracks(
      sampled(90, (frame) => [head(walking(frame))]),
      [],
      framesOf(90),
    );
    const part = clipTracks(tracks, 31, 52);
    for (let frame = 31; frame <= 52; frame++) {
      for (const [index, value] of (regionsAt(part, frame)[0]?.box ?? []).entries()) {
        expect(value).toBeCloseTo(regionsAt(tracks, frame)[0]?.box[index] ?? Number.NaN, 9);
      }
    }
    expect(regionsAt(part, 30)).toHaveLength(0);
    expect(regionsAt(part, 53)).toHaveLength(0);
  });
});
