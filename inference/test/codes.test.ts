import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { categoriesOfCode, outlineMargin } from "../src/codes/formats.ts";
import { growLinear } from "../src/codes/grow.ts";
import { findStripes } from "../src/codes/stripes.ts";
import type { Point } from "../src/geometry/box.ts";
import { answerOf, type Answer } from "./support/answer.ts";
import { coverage, drawCode, type DrawOptions } from "./support/codes.ts";
import { startTestService, type TestService } from "./support/service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(async () => service.stop());

async function read(frame: Uint8Array, request: Record<string, unknown> = {}): Promise<Answer> {
  return answerOf(await service.detect({ categories: ["qr_codes", "barcodes"], ...request }, [frame]));
}

function polygonsOf(answer: Answer, category: string): Point[][] {
  return answer.frames.flatMap(({ detections }) =>
    detections.filter((detection) => detection.category === category).map(({ polygon }) => polygon ?? []),
  );
}

interface Sample {
  readonly format: NonNullable<DrawOptions["format"]>;
  readonly text: string;
}

const LINEAR: readonly Sample[] = [
  { format: "EAN13", text: "5901234123457" },
  { format: "EAN8", text: "96385074" },
  { format: "UPCA", text: "036000291452" },
  { format: "UPCE", text: "01234565" },
  { format: "Code128", text: "Veil-2026-ABC" },
  { format: "Code39", text: "VEIL2026" },
  { format: "Code93", text: "VEIL2026" },
  { format: "Codabar", text: "A123456B" },
  { format: "ITF", text: "1234567890" },
  { format: "DataBarExp", text: "[01]98898765432106" },
  { format: "DataBarLtd", text: "0109501101530003" },
];

const MATRIX: readonly Sample[] = [
  { format: "QRCode", text: "https://example.org/veil" },
  { format: "MicroQRCode", text: "12345" },
  { format: "DataMatrix", text: "Veil 2026" },
  { format: "Aztec", text: "Veil 2026 aztec" },
  { format: "PDF417", text: "Veil 2026 pdf417" },
];

describe("one-dimensional codes", () => {
  it.each(LINEAR)(
    "$format: found at any angle, over the whole height of the bars and little more",
    async (sample) => {
      for (const degrees of [0, 20, 67, 90, 133, 180, 248, 311]) {
        const code = await drawCode(sample.text, { format: sample.format, degrees });
        const polygons = polygonsOf(await read(code.frame), "barcodes");
        expect(coverage(code, polygons), `${degrees}°`).toBeGreaterThanOrEqual(0.93);
        const largest = Math.max(...polygons.map(areaOf));
        expect(largest, `${degrees}°`).toBeLessThan(1.6 * code.areaShare);
      }
    },
  );

  it("are found several at once, apart from each other", async () => {
    const samples = await Promise.all(
      LINEAR.slice(0, 4).map(async ({ format, text }, i) =>
        drawCode(text, { format, degrees: 90 * (i % 2) }),
      ),
    );
    const frame = await sharp({ create: { width: 1000, height: 1000, channels: 3, background: "#ffffff" } })
      .composite(
        samples.map((code, i) => ({
          input: Buffer.from(code.frame),
          left: 500 * (i % 2),
          top: i < 2 ? 0 : 500,
        })),
      )
      .png()
      .toBuffer();
    const answer = await read(frame);
    expect(polygonsOf(answer, "barcodes")).toHaveLength(4);
  });
});

/** Paints over the middle of a symbol: more than its error correction makes good. */
async function blotted(png: Uint8Array): Promise<Uint8Array> {
  const { width, height } = await sharp(png).metadata();
  const blot = { create: { width: 30, height: 36, channels: 3 as const, background: "#000000" } };
  const left = Math.round(width * 0.4);
  const top = Math.round(height * 0.4);
  return sharp(png)
    .composite([{ input: blot, left, top }])
    .png()
    .toBuffer();
}

describe("matrix codes", () => {
  it.each(MATRIX)("$format: found at any angle, outlined", async ({ format, text }) => {
    for (const degrees of [0, 17, 45, 118, 200, 275]) {
      const code = await drawCode(text, { format, degrees });
      const polygons = polygonsOf(await read(code.frame), "qr_codes");
      expect(coverage(code, polygons), `${degrees}°`).toBeGreaterThanOrEqual(0.9);
      expect(Math.max(...polygons.map(areaOf)), `${degrees}°`).toBeLessThan(1.5 * code.areaShare);
    }
  });

  it("are found inverted, and with modules of two pixels in a large picture", async () => {
    const inverted = await drawCode("https://example.org", {
      format: "QRCode",
      invert: true,
      addQuietZones: true,
    });
    expect(polygonsOf(await read(inverted.frame), "qr_codes")).toHaveLength(1);
    const small = await drawCode("https://example.org", {
      format: "QRCode",
      scale: 2,
      margin: 600,
      degrees: 12,
    });
    expect(coverage(small, polygonsOf(await read(small.frame), "qr_codes"))).toBeGreaterThan(0.9);
  });

  it("are located though unreadable, with less confidence, and min_confidence leaves them out", async () => {
    const code = await drawCode("https://example.org/veil", {
      format: "QRCode",
      damage: blotted,
      options: "ecLevel=L",
    });
    const answer = await read(code.frame);
    expect(coverage(code, polygonsOf(answer, "qr_codes"))).toBeGreaterThan(0.9);
    expect(answer.frames[0]?.detections[0]?.confidence).toBe(0.6);
    expect((await read(code.frame, { min_confidence: 0.9 })).frames[0]?.detections).toEqual([]);
  });
});

describe("categories", () => {
  it("are one for QR and bars, both for the other matrix codes", () => {
    expect(categoriesOfCode("QRCode")).toEqual(["qr_codes"]);
    expect(categoriesOfCode("EANUPC")).toEqual(["barcodes"]);
    for (const symbology of ["DataMatrix", "Aztec", "PDF417", "MaxiCode"]) {
      expect(categoriesOfCode(symbology)).toEqual(["qr_codes", "barcodes"]);
    }
  });

  it("not asked for are not answered", async () => {
    const { frame } = await drawCode("12345670", { format: "EAN8" });
    expect((await read(frame, { categories: ["qr_codes"] })).frames[0]?.detections).toEqual([]);
    expect((await read(frame, { categories: ["barcodes"] })).frames[0]?.detections).toHaveLength(1);
  });

  it("have margins that never shrink a code", () => {
    for (const symbology of ["QRCode", "EANUPC", "PDF417", "Code128"]) {
      const { along, across } = outlineMargin(symbology);
      expect(Math.min(along, across)).toBeGreaterThan(0);
    }
  });
});

describe("growing", () => {
  /** Bars of 6 pixels, dark and light by turns, from x = 40 to 220 and y = 30 to 110, on white. */
  const width = 260;
  const height = 160;
  const pixels = new Uint8Array(width * height).fill(255);
  for (let y = 30; y < 110; y += 1) {
    for (let x = 40; x < 220; x += 1) if (((x - 40) * 7) % 31 < 14) pixels[y * width + x] = 0;
  }

  it("follows the bars from the scanned strip to their ends, both ways", () => {
    const corners = growLinear(
      { width, height, pixels },
      [
        [40, 60],
        [219, 60],
        [219, 64],
        [40, 64],
      ],
      { isStacked: false },
    );
    const rows = corners.map(([, y]) => y);
    expect(Math.min(...rows)).toBeGreaterThan(27);
    expect(Math.min(...rows)).toBeLessThan(33);
    expect(Math.max(...rows)).toBeGreaterThan(106);
    expect(Math.max(...rows)).toBeLessThan(113);
  });

  it("goes on to the last bar when only a part was read", () => {
    const corners = growLinear(
      { width, height, pixels },
      [
        [90, 60],
        [170, 60],
        [170, 64],
        [90, 64],
      ],
      { isStacked: false },
    );
    const columns = corners.map(([x]) => x);
    expect(Math.min(...columns)).toBeLessThan(43);
    expect(Math.max(...columns)).toBeGreaterThan(215);
  });

  it("stays put on a blank picture and on a strip without length", () => {
    const blank = { width, height, pixels: new Uint8Array(width * height).fill(200) };
    const strip = [
      [40, 60],
      [219, 60],
      [219, 64],
      [40, 64],
    ] as const;
    const rows = growLinear(blank, strip, { isStacked: false }).map(([, y]) => y);
    expect(Math.max(...rows) - Math.min(...rows)).toBeLessThan(6);
    const point = [
      [5, 5],
      [5, 5],
      [5, 5],
      [5, 5],
    ] as const;
    expect(growLinear(blank, point, { isStacked: false })).toEqual(point);
  });

  it("is offered slanted bars, with their direction, and nothing on a plain edge", () => {
    const slanted = new Uint8Array(200 * 200).map((_, i) => {
      const [x, y] = [i % 200, Math.floor(i / 200)];
      const along = x * Math.cos(0.5) + y * Math.sin(0.5);
      return x > 40 && x < 160 && y > 40 && y < 160 && Math.floor(along / 4) % 2 === 0 ? 0 : 255;
    });
    const [region] = findStripes({ width: 200, height: 200, pixels: slanted }, 5);
    expect(Math.abs((region?.angleRadians ?? 0) - 0.5)).toBeLessThan(0.12);
    const edge = new Uint8Array(200 * 200).map((_, i) => (i % 200 < 90 ? 0 : 255));
    expect(findStripes({ width: 200, height: 200, pixels: edge }, 5)).toEqual([]);
  });
});

/** Area of a polygon (shoelace formula). */
function areaOf(points: readonly Point[]): number {
  const twice = points.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length] ?? [x, y];
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(twice) / 2;
}
