import { afterAll, beforeAll, describe, expect, it } from "vitest";
import sharp from "sharp";
import { answerOf, type Answer } from "./support/answer.ts";
import { encode, squaresOnBlack, type Square } from "./support/pictures.ts";
import { startTestService, type TestService } from "./support/service.ts";

/** Detections of one category as pixels of the stored picture: x, y, width, height. */
function pixelBoxes(answer: Answer, category: string): number[][] {
  return answer.frames.flatMap(({ width, height, detections }) =>
    detections
      .filter((detection) => detection.category === category)
      .map(({ box: [x, y, w, h] }) =>
        [x * width, y * height, w * width, h * height].map((value) => Math.round(value * 10) / 10),
      )
      .toSorted((a, b) => (a[1] ?? 0) - (b[1] ?? 0) || (a[0] ?? 0) - (b[0] ?? 0)),
  );
}

async function look(
  service: TestService,
  size: { width: number; height: number },
  squares: readonly Square[],
  request: { category?: string; minConfidence?: number; isSingleLook?: boolean } = {},
): Promise<number[][]> {
  const { category = "heads", minConfidence, isSingleLook } = request;
  const frame = await encode(squaresOnBlack(size.width, size.height, squares), size);
  return pixelBoxes(
    await answerOf(
      await service.detect(
        { categories: [category], min_confidence: minConfidence, single_look: isSingleLook },
        [frame],
      ),
    ),
    category,
  );
}

function bar(x: number, y: number, cells: number): Square[] {
  return Array.from({ length: cells }, (_, i) => ({ x: x + 4 * i, y, side: 4 }));
}

describe.each(["nchw", "nhwc_uint8"] as const)("scales of a network that takes %s", (layout) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      layout,
      manifest: {
        scales: [
          { long_side: 128, text: true },
          { long_side: 32, text: false },
        ],
      },
    });
  });

  afterAll(async () => service.stop());

  it("map back to the pixel when the picture is enlarged, as it is, and reduced", async () => {
    expect(await look(service, { width: 128, height: 96 }, [{ x: 16, y: 32, side: 8 }])).toEqual([
      [16, 32, 8, 8],
    ]);
    expect(await look(service, { width: 256, height: 192 }, [{ x: 32, y: 64, side: 16 }])).toEqual([
      [32, 64, 16, 16],
    ]);
    const size = { width: 64, height: 48 };
    const enlarged = await look(service, size, [{ x: 8, y: 16, side: 8 }], { minConfidence: 0.3 });
    // At twice the size the square fills four cells; their places are known to half a pixel of the result.
    expect(enlarged.map((box) => box.map(Math.round))).toEqual([
      [8, 16, 4, 4],
      [12, 16, 4, 4],
      [8, 20, 4, 4],
      [12, 20, 4, 4],
    ]);
  });

  it("merge: what fills a cell of the small pass replaces its parts or stands beside them", async () => {
    const boxes = await look(service, { width: 128, height: 96 }, [{ x: 32, y: 32, side: 32 }]);
    expect(boxes).toContainEqual([32, 32, 32, 32]);
  });

  it("pad odd sizes without finding anything there", async () => {
    expect(await look(service, { width: 127, height: 53 }, [])).toEqual([]);
    const [box] = await look(service, { width: 128, height: 53 }, [{ x: 8, y: 40, side: 8 }]);
    expect(box).toEqual([8, 40, 8, 8]);
  });

  it("read strokes from the text map as rectangles of their own", async () => {
    const lines = await look(service, { width: 128, height: 96 }, [...bar(8, 16, 10), ...bar(20, 48, 5)], {
      category: "writing",
    });
    expect(lines).toEqual([
      [8, 16, 40, 4],
      [20, 48, 20, 4],
    ]);
  });

  it("follow aslant strokes", async () => {
    const steps = Array.from({ length: 12 }, (_, i) => ({ x: 16 + 4 * i, y: 16 + 4 * i, side: 4 }));
    const frame = await encode(squaresOnBlack(128, 96, steps), { width: 128, height: 96 });
    const { frames } = await answerOf(await service.detect({ categories: ["writing"] }, [frame]));
    const polygon = frames[0]?.detections[0]?.polygon ?? [];
    const sides = polygon.map(([x, y], i) => {
      const [nextX, nextY] = polygon[(i + 1) % 4] ?? [x, y];
      return Math.hypot((nextX - x) * 128, (nextY - y) * 96);
    });
    expect(Math.min(...sides)).toBeCloseTo(4 * Math.SQRT2, 1);
    expect(Math.max(...sides)).toBeCloseTo(48 * Math.SQRT2, 1);
  });
});

describe("orientation", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(async () => service.stop());

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "%i is honoured and mapped back to stored pixels",
    async (orientation) => {
      const pixels = squaresOnBlack(128, 64, [{ x: 96, y: 8, side: 8 }]);
      for (const encoding of ["jpeg", "webp", "png"] as const) {
        const image = sharp(pixels, { raw: { width: 128, height: 64, channels: 3 } }).withMetadata({
          orientation,
        });
        const frame = await image.toFormat(encoding, { quality: 100 }).toBuffer();
        const answer = await answerOf(await service.detect({ categories: ["heads"] }, [frame]));
        expect(answer.frames[0]).toMatchObject({ width: 128, height: 64 });
        expect(pixelBoxes(answer, "heads")).toEqual([[96, 8, 8, 8]]);
      }
    },
  );
});

describe("a look in the mirror", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      manifest: {
        scales: [
          { long_side: 124, max_source_long_side: 124, text: true },
          { long_side: 128, min_source_long_side: 125, text: true },
        ],
        mirrored: { max_source_long_side: 256, overlap: 0.45, lone_share: 0.5 },
      },
    });
  });

  afterAll(async () => service.stop());

  it("finds the same places, each once, and reads writing as before", async () => {
    const squares = [
      { x: 16, y: 32, side: 8 },
      { x: 96, y: 48, side: 8 },
    ];
    expect(await look(service, { width: 128, height: 96 }, squares)).toEqual([
      [16, 32, 8, 8],
      [96, 48, 8, 8],
    ]);
    expect(await look(service, { width: 256, height: 192 }, [{ x: 32, y: 64, side: 16 }])).toEqual([
      [32, 64, 16, 16],
    ]);
    expect(
      await look(service, { width: 128, height: 96 }, bar(32, 32, 6), { category: "writing" }),
    ).toHaveLength(1);
  });

  it("lowers what the other look sees in other cells", async () => {
    // 124 pixels wide, so that cells of the mirror image begin four pixels beside those of the picture.
    const size = { width: 124, height: 96 };
    const across = [{ x: 16, y: 32, side: 8 }];
    expect(await look(service, size, across, { minConfidence: 0.45 })).toEqual([[16, 32, 8, 8]]);
    expect(await look(service, size, across, { minConfidence: 0.55 })).toEqual([]);
    expect(await look(service, size, across, { minConfidence: 0.55, isSingleLook: true })).toEqual([
      [16, 32, 8, 8],
    ]);
  });
});

describe("a scale for writing alone", () => {
  it("gives lines, no boxes, and leaves the others their boxes", async () => {
    const service = await startTestService({
      manifest: {
        scales: [
          { long_side: 128, text: true, boxes: false },
          { long_side: 32, text: false },
        ],
      },
    });
    const size = { width: 128, height: 96 };
    const [square, large] = [
      { x: 16, y: 32, side: 8 },
      { x: 32, y: 32, side: 32 },
    ];
    expect(await look(service, size, [square])).toEqual([]);
    expect(await look(service, size, [large])).toEqual([[32, 32, 32, 32]]);
    expect(await look(service, size, bar(8, 16, 10), { category: "writing" })).toEqual([[8, 16, 40, 4]]);
    await service.stop();
  });
});

describe("tiles", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      manifest: {
        scales: [{ long_side: 64, text: false }],
        tiling: { min_source_long_side: 512, size: 256, overlap: 64, text: true },
      },
      env: { MAX_TILED_PIXELS: "532480" },
    });
  });

  afterAll(async () => service.stop());

  it("find what the whole at a small scale cannot show, to the pixel and once", async () => {
    // Tiles start at 0, 192, 384 …: a multiple of the cell, so that cells of neighbours coincide.
    const squares = [
      { x: 8, y: 8, side: 8 },
      { x: 248, y: 120, side: 8 },
      { x: 200, y: 200, side: 8 },
      { x: 824, y: 632, side: 8 },
    ];
    const found = await look(service, { width: 832, height: 640 }, squares);
    expect(found).toEqual(squares.map(({ x, y, side }) => [x, y, side, side]));
  });

  it("find 8 pixels in 12 million, wherever they lie", async () => {
    const large = await startTestService({
      manifest: {
        scales: [{ long_side: 1280, text: false }],
        tiling: { min_source_long_side: 2400, size: 1280, overlap: 192, text: false },
      },
    });
    // In a corner, across the borders of tiles, and in the middle of one.
    const squares = [
      { x: 0, y: 0, side: 8 },
      { x: 3992, y: 0, side: 8 },
      { x: 952, y: 936, side: 8 },
      { x: 2000, y: 1504, side: 8 },
      { x: 1144, y: 2064, side: 8 },
      { x: 3992, y: 2992, side: 8 },
    ];
    const found = await look(large, { width: 4000, height: 3000 }, squares);
    await large.stop();
    expect(found).toEqual(squares.map(({ x, y, side }) => [x, y, side, side]));
  });

  it("read strokes across their borders completely", async () => {
    const stroke = Array.from({ length: 100 }, (_, i) => ({ x: 100 + 4 * i, y: 120, side: 4 }));
    const parts = await look(service, { width: 832, height: 640 }, stroke, { category: "writing" });
    const covered = (x: number): boolean =>
      parts.some(([left = 0, , width = 0]) => x >= left && x <= left + width);
    for (let x = 100; x <= 500; x += 1) expect(covered(x)).toBe(true);
    expect(parts.every(([, top, , height]) => top === 120 && height === 4)).toBe(true);
  });

  it("cost no more than the limit: larger pictures are analyzed at a reduced size", async () => {
    const squares = [{ x: 640, y: 656, side: 16 }];
    const size = { width: 1664, height: 1280 };
    expect(await look(service, size, squares)).toEqual([[640, 656, 16, 16]]);
  });
});
