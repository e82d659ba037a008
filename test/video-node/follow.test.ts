import { describe, expect, test } from "vitest";
import { boundsOf, overlapOf, type Box } from "../../src/pixels/geometry/box.ts";
import { followBox, type FollowedBox } from "../../src/work/video/follow/follow-box.ts";
import { coarseFrameOf, yuv420Bytes, type CoarseFrame } from "../../src/work/video/sampling/coarse-frame.ts";
import type { Script } from "../video/compose/clip.ts";
import { composeFrame } from "../video/compose/compose.ts";
import { leakScripts } from "../video/compose/scripts.ts";
import { qrSymbol } from "./support/qr-codes.ts";
import { coarseOf } from "./support/redact-clip.ts";

const texts = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];
const scripts = leakScripts(await Promise.all(texts.map(qrSymbol)));

/** The boxes of all codes in each frame of a script, and the stored coarse frame. */
function shown({ width, height, timestampsSeconds, ...script }: Script): {
  readonly truth: readonly (readonly Box[])[];
  readonly coarse: readonly CoarseFrame[];
} {
  const frames = timestampsSeconds.map((_, index) =>
    composeFrame({ width, height, timestampsSeconds, ...script }, index),
  );
  return {
    coarse: frames.map(({ planes }) => coarseOf(planes, width, height)),
    truth: frames.map(({ polygons }) =>
      polygons.map((polygon): Box => {
        const [left, top, wide, high] = boundsOf(polygon);
        return [left / width, top / height, wide / width, high / height];
      }),
    ),
  };
}

async function follow(coarse: readonly CoarseFrame[], start: FollowedBox): Promise<readonly FollowedBox[]> {
  return await followBox(
    {
      firstFrame: 0,
      lastFrame: coarse.length - 1,
      at: async (frame) => {
        const found = coarse[frame];
        if (found === undefined) throw new Error(`There is no frame ${frame}.`);
        return found;
      },
    },
    start,
  );
}

describe("a code is followed through a rendered clip, forwards and backwards", () => {
  test.for<{ name: string; from: number; to: number; overlap: number }>([
    { name: "handheld", from: 0, to: 74, overlap: 0.75 },
    { name: "pan past two", from: 0, to: 74, overlap: 0.75 },
    { name: "shrinking", from: 0, to: 74, overlap: 0.75 },
    { name: "thrown and bouncing", from: 0, to: 77, overlap: 0.5 },
    { name: "variable frame rate", from: 0, to: 69, overlap: 0.7 },
    // It enters and leaves the picture and is visible in frames 3 to 59.
    { name: "fast across", from: 10, to: 48, overlap: 0.5 },
    // It is lost when the picture fades to black.
    { name: "flash and fade", from: 0, to: 80, overlap: 0.75 },
  ])("$name", async ({ name, from, to, overlap }) => {
    const script = scripts.find((candidate) => candidate.name === name);
    if (script === undefined) throw new Error(`There is no script ${name}.`);
    const { truth, coarse } = shown(script);
    const frame = Math.round(coarse.length / 3);
    const [box] = truth[frame] ?? [];
    if (box === undefined) throw new Error("Nothing is shown.");
    const found = await follow(coarse, { frame, box });
    expect(found[0]?.frame).toBeLessThanOrEqual(from);
    expect(found.at(-1)?.frame).toBeGreaterThanOrEqual(to);
    // Each frame occurs once, in order.
    expect(found.map((one) => one.frame)).toEqual(found.map((_, index) => (found[0]?.frame ?? 0) + index));
    const overlaps = found.map((one) =>
      Math.max(0, ...(truth[one.frame] ?? []).map((real) => overlapOf(real, one.box))),
    );
    expect(Math.min(...overlaps)).toBeGreaterThan(overlap);
  });
});

test("what goes behind something is lost there, and what comes back is another thing to follow", async () => {
  const script = scripts.find(({ name }) => name === "hidden for a while");
  if (script === undefined) throw new Error("The script is gone.");
  const { truth, coarse } = shown(script);
  const [box] = truth[9] ?? [];
  if (box === undefined) throw new Error("Nothing is shown.");
  const found = await follow(coarse, { frame: 9, box });
  expect(found[0]?.frame).toBe(0);
  expect(found.at(-1)?.frame).toBeGreaterThan(12);
  expect(found.at(-1)?.frame).toBeLessThan(30);
});

test("a region without visible texture stays where it is, in its one frame", async () => {
  const [width, height] = [60, 34];
  const grey = coarseFrameOf(new Uint8Array(yuv420Bytes(width, height)).fill(128), width, height);
  const start: FollowedBox = { frame: 5, box: [0.4, 0.4, 0.2, 0.2] };
  const frames = Array.from({ length: 10 }, () => grey);
  expect(await follow(frames, start)).toEqual([start]);
});
