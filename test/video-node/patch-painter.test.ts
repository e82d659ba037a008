import { describe, expect, it } from "vitest";
import { regionsFromDetections } from "../../src/pixels/redaction/regions/regions.ts";
import { type CoarseFrame, coarseFrameOf, yuv420Bytes } from "../../src/work/video/sampling/coarse-frame.ts";
import { patchBytes, PatchPainter } from "../../src/work/video/patches/patch-painter.ts";
import type { TrackRegion } from "../../src/work/video/tracks/track.ts";

function regionsOf(detections: Parameters<typeof regionsFromDetections>[0]): TrackRegion[] {
  return regionsFromDetections(detections).map((region, trackId) => Object.assign({ trackId }, region));
}

/** A coarse frame whose luma is a function of column and row, with neutral chroma. */
function coarseOf(width: number, height: number, luma: (x: number, y: number) => number): CoarseFrame {
  const bytes = new Uint8Array(yuv420Bytes(width, height)).fill(128);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) bytes[y * width + x] = luma(x, y);
  return coarseFrameOf(bytes, width, height);
}

function grey(width: number, height: number): CoarseFrame {
  return coarseOf(Math.ceil(width / 8), Math.ceil(height / 8), () => 90);
}

function alphaOf(data: Uint8Array, width: number, height: number): Uint8Array {
  return data.subarray(data.length - width * height);
}

describe("PatchPainter", () => {
  it("sets alpha to 255 on every pixel of a box that any part of lies in it, at odd sizes too", () => {
    for (const [width, height] of [
      [97, 61],
      [96, 61],
      [97, 60],
      [320, 180],
    ] as const) {
      const painter = new PatchPainter({ width, height, method: "pixelation" });
      const regions = regionsOf([{ category: "id_cards", box: [0.9, 0.85, 0.2, 0.3] }]);
      const coarse = grey(width, height);
      const { data } = painter.paint({ regions, coarse, timestampSeconds: 0, isCut: true });
      expect(data.byteLength).toBe(patchBytes(width, height));
      const alpha = alphaOf(data, width, height);
      const [left = 0, top = 0] = regions[0]?.box ?? [];
      for (let y = Math.floor(top * height); y < height; y++) {
        for (let x = Math.floor(left * width); x < width; x++) expect(alpha[y * width + x]).toBe(255);
      }
      expect(alpha[0]).toBe(0);
    }
  });

  it("leaves nothing of the frame before", () => {
    const [width, height] = [160, 90];
    const painter = new PatchPainter({ width, height, method: "blur" });
    const coarse = grey(width, height);
    const regions = regionsOf([{ category: "heads", box: [0.4, 0.4, 0.3, 0.3] }]);
    expect(painter.paint({ regions, coarse, timestampSeconds: 0, isCut: true }).isEmpty).toBe(false);
    const { data, isEmpty } = painter.paint({ regions: [], coarse, timestampSeconds: 0.04, isCut: false });
    expect(isEmpty).toBe(true);
    expect(alphaOf(data, width, height).every((value) => value === 0)).toBe(true);
  });
});
