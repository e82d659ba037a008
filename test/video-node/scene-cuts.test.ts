import { describe, expect, it } from "vitest";
import {
  type FrameSignature,
  SIGNATURE_BYTES,
  signatureOf,
} from "../../src/work/video/sampling/frame-signature.ts";
import { CUT_CONTEXT_FRAMES, CutDetector, cutsAmong } from "../../src/work/video/sampling/scene-cuts.ts";
import { type Backdrop, backdrop } from "../video/compose/backdrop.ts";
import { type Script, type Shot, constantRate } from "../video/compose/clip.ts";
import { composeFrame } from "../video/compose/compose.ts";
import { coarseOf } from "./support/redact-clip.ts";

const SIZE = { width: 192, height: 108 };
const scenes: readonly Backdrop[] = [1, 2, 3].map((seed) => backdrop({ width: 400, height: 220, seed }));
function scene(index: number): Backdrop {
  return scenes[index] ?? backdrop({ width: 400, height: 220, seed: index });
}

function signaturesOf(script: Omit<Script, "name" | "width" | "height">): FrameSignature[] {
  const whole = { ...script, ...SIZE, name: "cuts" };
  return whole.timestampsSeconds.map((_, index) =>
    signatureOf(coarseOf(composeFrame(whole, index).planes, SIZE.width, SIZE.height)),
  );
}

function shotOf(fromSeconds: number, index: number, camera?: Shot["camera"]): Shot {
  const shot = { fromSeconds, backdrop: scene(index), targets: [] };
  return camera === undefined ? shot : { ...shot, camera };
}

const timestampsSeconds = constantRate(30, 2);
function unsteady(t: number) {
  return [80 * t + 4 * Math.sin(31 * t), 50 + 4 * Math.sin(23 * t)] as const;
}
function flash(t: number) {
  return { gain: 1, offset: t > 0.9 && t < 1 ? 110 : 0 };
}
function fade(t: number) {
  return { gain: Math.min(1, Math.abs(t - 1) * 2), offset: 0 };
}

describe("CutDetector", () => {
  it("finds cuts to the frame", () => {
    const shots = [shotOf(0, 0), shotOf(0.6, 1), shotOf(1.2, 2)];
    expect(cutsAmong(signaturesOf({ timestampsSeconds, shots }))).toEqual([18, 36]);
  });

  it("finds a cut in a shaking, panning picture and takes neither for one", () => {
    const shots = [shotOf(0, 0, unsteady), shotOf(1, 1, unsteady)];
    expect(cutsAmong(signaturesOf({ timestampsSeconds, shots }))).toEqual([30]);
  });

  it("takes no flash for a cut", () => {
    expect(cutsAmong(signaturesOf({ timestampsSeconds, shots: [shotOf(0, 0)], light: flash }))).toEqual([]);
  });

  it("takes no fade out and in of one picture for a cut", () => {
    expect(cutsAmong(signaturesOf({ timestampsSeconds, shots: [shotOf(0, 0)], light: fade }))).toEqual([]);
  });

  it("finds another picture behind a fade through black", () => {
    const cuts = cutsAmong(
      signaturesOf({ timestampsSeconds, shots: [shotOf(0, 0), shotOf(1, 1)], light: fade }),
    );
    expect(cuts).toHaveLength(1);
    expect(Math.abs((cuts[0] ?? 0) - 30)).toBeLessThanOrEqual(4);
  });

  it("finds a cut at the second and at the last frame", () => {
    const shots = [shotOf(0, 0), shotOf(0.02, 1), shotOf(1.95, 2)];
    expect(cutsAmong(signaturesOf({ timestampsSeconds, shots }))).toEqual([1, 59]);
  });

  it("tells of a cut a few frames later, whatever the length of the video", () => {
    const detector = new CutDetector();
    const dark = new Uint8Array(SIGNATURE_BYTES).map((_, tile) => 40 + ((tile * 7) % 30));
    const light = new Uint8Array(SIGNATURE_BYTES).map((_, tile) => 200 - ((tile * 11) % 90));
    const told: number[] = [];
    for (let frame = 0; frame < 5000; frame++) {
      const cuts = detector.push(frame, frame % 1000 < 500 ? dark : light);
      if (cuts.length > 0) told.push(frame);
      for (const cut of cuts) expect(frame - cut).toBe(CUT_CONTEXT_FRAMES);
    }
    expect(told).toHaveLength(9);
  });
});
