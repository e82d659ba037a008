import { describe, expect, it } from "vitest";
import { INK_LEVEL, placeLabel, PLATE_LEVEL } from "../../src/pixels/redaction/painting/labels.ts";
import { PatchPainter } from "../../src/work/video/patches/patch-painter.ts";
import { coarseFrameOf, yuv420Bytes } from "../../src/work/video/sampling/coarse-frame.ts";
import type { TrackRegion } from "../../src/work/video/tracks/track.ts";

const [WIDTH, HEIGHT] = [321, 181];
const SIZE = { width: WIDTH, height: HEIGHT };
const COARSE_SIZE = [Math.ceil(WIDTH / 8), Math.ceil(HEIGHT / 8)] as const;
const coarse = coarseFrameOf(new Uint8Array(yuv420Bytes(...COARSE_SIZE)).fill(90), ...COARSE_SIZE);

function head(box: TrackRegion["box"], label: string | undefined, trackId = 1): TrackRegion {
  return { trackId, category: "heads", shape: "ellipse", box, label };
}

/** The patch of the last of several frames, with and without labels. */
function patches(
  frames: readonly (readonly TrackRegion[])[],
): readonly [labeled: Uint8Array, plain: Uint8Array] {
  const [labeled, plain] = [true, false].map((isLabeled) => {
    const painter = new PatchPainter({ ...SIZE, method: "blur" });
    let data = new Uint8Array(0);
    for (const [index, regions] of frames.entries()) {
      const shown = isLabeled ? regions : regions.map(({ label: _label, ...region }): TrackRegion => region);
      data = painter
        .paint({ regions: shown, coarse, timestampSeconds: index / 25, isCut: index === 0 })
        .data.slice();
    }
    return data;
  });
  return [labeled ?? new Uint8Array(0), plain ?? new Uint8Array(0)];
}

/** The pixels per unit of the font after a mask had these boxes. */
function scaleAfter(...boxes: readonly TrackRegion["box"][]): number {
  const [labeled, plain] = patches(boxes.map((box) => [head(box, "A")]));
  const changed = [...plain.keys()].filter((at) => at < WIDTH * HEIGHT && labeled[at] !== plain[at]);
  const rows = changed.map((at) => Math.floor(at / WIDTH));
  return (Math.max(...rows) - Math.min(...rows) + 1) / 10;
}

describe("a label on a video's mask", () => {
  it("is legible, gray, and changes nothing outside the mask", () => {
    const region = head([0.3, 0.2, 0.4, 0.6], "(b)(6)");
    const [labeled, plain] = patches([[region]]);
    const label = placeLabel(region, { ...SIZE, orientation: 1, alignPx: 2 });
    if (label === undefined) throw new Error("There is no label.");
    const alpha = labeled.length - WIDTH * HEIGHT;
    const chromaWidth = Math.ceil(WIDTH / 2);
    expect(labeled.subarray(alpha)).toEqual(plain.subarray(alpha));
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        const at = y * WIDTH + x;
        const isIn = x >= label.left && x < label.right && y >= label.top && y < label.bottom;
        const wanted = isIn ? (label.isInk(x, y) ? INK_LEVEL : PLATE_LEVEL) : plain[at];
        if (labeled[at] !== wanted)
          throw new Error(`Pixel ${x}, ${y} is ${labeled[at]} instead of ${wanted}.`);
        if (isIn && labeled[alpha + at] !== 255) throw new Error(`Pixel ${x}, ${y} is outside the mask.`);
        const chroma = WIDTH * HEIGHT + (y >> 1) * chromaWidth + (x >> 1);
        if (labeled[chroma] !== (isIn ? 128 : plain[chroma])) throw new Error(`Pixel ${x}, ${y} has a tint.`);
      }
  });

  it("is absent where the mask is too small", () => {
    const [labeled, plain] = patches([[head([0.3, 0.2, 0.1, 0.1], "(b)(7)(C)")]]);
    expect(labeled).toEqual(plain);
  });

  it("keeps its size while its mask grows a little, and grows with a mask that grows much", () => {
    const large: TrackRegion["box"] = [0, 0, 1, 1];
    const small: TrackRegion["box"] = [0.4, 0.4, 0.08, 0.12];
    expect(scaleAfter(large)).toBe(scaleAfter(small, large));
    expect(scaleAfter(small)).toBe(1);
  });
});
