import { describe, expect, it } from "vitest";
import { cutIntoSegments, PlanError, type PacketTime } from "../../src/work/video/tasks/video-plan.ts";

const LIMITS = { leastTicks: 100, mostFrames: 3000, mostLeadFrames: 50_000 };

/** Frames 10 ticks apart with a key frame every so many. */
function packets(frames: number, keyEvery: number): PacketTime[] {
  return Array.from({ length: frames }, (_, index) => ({ tick: 10 * index, isKey: index % keyEvery === 0 }));
}

describe("cutIntoSegments", () => {
  it("cuts at key frames, and nowhere else while groups of pictures are short", () => {
    const { segments } = cutIntoSegments(packets(100, 25), LIMITS);
    expect(segments.map(({ firstFrame, frames, leadFrames }) => [firstFrame, frames, leadFrames])).toEqual([
      [0, 25, 0],
      [25, 25, 0],
      [50, 25, 0],
      [75, 25, 0],
    ]);
  });

  it("cuts the last segment in halves, so that two processes end together", () => {
    const { segments } = cutIntoSegments(packets(40, 5), LIMITS);
    expect(segments.map(({ frames }) => frames)).toEqual([10, 10, 10, 5, 5]);
    expect(cutIntoSegments(packets(25, 5), LIMITS).segments.map(({ frames }) => frames)).toEqual([10, 10, 5]);
  });

  it("cuts an hour of one group of pictures in few parts that are decoded from its beginning", () => {
    const frames = 54_000;
    const { segments } = cutIntoSegments(packets(frames, frames), {
      ...LIMITS,
      mostFrames: 4000,
      mostLeadFrames: 60_000,
    });
    expect(segments.length).toBeLessThanOrEqual(16);
    let next = 0;
    for (const segment of segments) {
      expect(segment).toMatchObject({ firstFrame: next, leadFrames: next, keyTick: 0 });
      expect(segment.frames).toBeLessThanOrEqual(4000);
      next += segment.frames;
    }
    expect(next).toBe(frames);
  });

  it("counts the frames before a part from its own group's beginning", () => {
    const { segments } = cutIntoSegments(packets(1500, 750), LIMITS);
    expect(segments.map(({ firstFrame, frames, leadFrames }) => [firstFrame, frames, leadFrames])).toEqual([
      [0, 600, 0],
      [600, 150, 600],
      [750, 600, 0],
      [1350, 150, 600],
    ]);
  });

  it("refuses a group of pictures whose end is too far from its beginning", () => {
    expect(() => cutIntoSegments(packets(2000, 2000), { ...LIMITS, mostLeadFrames: 1000 })).toThrow(
      new PlanError("group_of_pictures_too_long"),
    );
  });
});
