import { describe, expect, it } from "vitest";
import { PatchPainter } from "../../src/work/video/patches/patch-painter.ts";
import { linkTracks } from "../../src/work/video/tracks/link-tracks.ts";
import { regionsAt } from "../../src/work/video/tracks/track.ts";
import { coarseOf } from "./support/redact-clip.ts";

const SIZE = { width: 448, height: 336 };
const HEAD_PX = 128;
const FRAMES = 90;
const FRAMES_A_SECOND = 30;
const CONTRAST_LEVELS = 100;

/** The head's left and top edge in a frame, in pixels. It sways and trembles as in a hand-held video. */
function placeAt(frame: number): readonly [left: number, top: number] {
  return [
    160 + 60 * Math.sin(frame / 17) + 3 * Math.sin(frame / 3.1),
    104 + 40 * Math.cos(frame / 23) + 3 * Math.cos(frame / 2.7),
  ];
}

/** Stripes in place of a face: brightness at a share of the head's width. */
function stripes(cycles: number, share: number): number {
  return 128 + CONTRAST_LEVELS * Math.cos(2 * Math.PI * cycles * share);
}

function frameOf(cycles: number, frame: number): Uint8Array {
  const [left, top] = placeAt(frame);
  const { width, height } = SIZE;
  const planes = new Uint8Array((width * height * 3) / 2).fill(128);
  for (let y = Math.ceil(top); y < top + HEAD_PX; y++)
    for (let x = Math.ceil(left); x < left + HEAD_PX; x++)
      planes[y * width + x] = Math.round(stripes(cycles, (x - left) / HEAD_PX));
  return planes;
}

function slip(frame: number, speed: number): number {
  return 0.03 * HEAD_PX * Math.sin(frame * speed);
}

/** A detector's boxes, six per second, each displaced by up to 3 % of the head's side. */
function samplesOf(): Parameters<typeof linkTracks>[0] {
  const { width, height } = SIZE;
  return Array.from({ length: FRAMES }, (_, frame) => frame)
    .filter((frame) => frame % 5 === 0 || frame === FRAMES - 1)
    .map((frameIndex) => {
      const [left, top] = placeAt(frameIndex);
      const box = [
        (left + slip(frameIndex, 1.3)) / width,
        (top + slip(frameIndex, 2.1)) / height,
        HEAD_PX / width,
        HEAD_PX / height,
      ] as const;
      return { frameIndex, detections: [{ category: "heads", confidence: 0.9, box }] };
    });
}

/**
 * The part of the stripes that an attacker can recover who knows the head's exact positions and averages all aligned frames (shift and
 * add; Farsiu et al. 2004). It is the amplitude in levels at the stripes' frequency.
 */
function regained(cycles: number, method: "pixelation" | "blur"): number {
  const { width, height } = SIZE;
  const timings = Array.from({ length: FRAMES }, (_, frame) => ({
    timestampSeconds: frame / FRAMES_A_SECOND,
  }));
  const tracks = linkTracks(samplesOf(), [], timings);
  const painter = new PatchPainter({ width, height, method });
  let [cosine, sine, count, bare] = [0, 0, 0, 0];
  for (const [frame, { timestampSeconds }] of timings.entries()) {
    const planes = frameOf(cycles, frame);
    const { data } = painter.paint({
      regions: regionsAt(tracks, frame, SIZE),
      coarse: coarseOf(planes, width, height),
      timestampSeconds,
      isCut: false,
    });
    const alpha = data.subarray(data.length - width * height);
    const [left, top] = placeAt(frame);
    // The middle of the head, which its ellipse covers completely, with a whole number of stripes.
    const edge = cycles > 2 ? 1 / cycles : 1 / 4;
    for (let y = Math.ceil(top + HEAD_PX / 3); y < top + (HEAD_PX * 2) / 3; y++) {
      for (let x = Math.ceil(left + edge * HEAD_PX); x < left + (1 - edge) * HEAD_PX; x++) {
        const at = y * width + x;
        bare += Number(alpha[at] !== 255);
        const phase = 2 * Math.PI * cycles * ((x - left) / HEAD_PX);
        cosine += ((data[at] as number) - 128) * Math.cos(phase);
        sine += ((data[at] as number) - 128) * Math.sin(phase);
        count += 1;
      }
    }
  }
  expect(bare).toBe(0);
  return (2 * Math.hypot(cosine, sine)) / count;
}

describe("ninety frames of a head that moves", () => {
  it("tell its coarse brightness, as one does", () => {
    expect(regained(2, "pixelation")).toBeGreaterThan(CONTRAST_LEVELS / 3);
  });

  it.for(
    [4, 5, 6, 8, 11].flatMap((cycles) =>
      (["pixelation", "blur"] as const).map((one) => [cycles, one] as const),
    ),
  )("tell nothing of detail of %i cycles over its width: %s", ([cycles, method]) => {
    expect(regained(cycles, method)).toBeLessThan(CONTRAST_LEVELS * 0.05);
  });
});
