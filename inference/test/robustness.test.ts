import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import type { Sharp } from "sharp";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { splitMultipart } from "../src/http/multipart.ts";
import { decodeFrame, type DecodeLimits } from "../src/images/decode.ts";
import { Detector } from "../src/pipeline/detector.ts";
import { ServiceError } from "../src/platform/errors.ts";
import { Gate } from "../src/platform/gate.ts";
import type { WorkerPool } from "../src/workers/pool.ts";
import { answerOf } from "./support/answer.ts";
import { startTestService, type TestService } from "./support/service.ts";

const limits: DecodeLimits = {
  maxPixels: 100_000_000,
  maxBufferedPixels: 16_000_000,
  maxWorkingPixels: 4_000_000,
};

function photoLike(width: number, height: number): Sharp {
  const pixels = new Uint8Array(width * height * 3).map((_, i) => (i * 7 + Math.floor(i / width) * 13) % 256);
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

const originals = Promise.all([
  photoLike(96, 64).jpeg().toBuffer(),
  photoLike(96, 64).jpeg({ progressive: true }).toBuffer(),
  photoLike(96, 64).png().toBuffer(),
  photoLike(96, 64).webp().toBuffer(),
  photoLike(96, 64).webp({ lossless: true }).toBuffer(),
]);

describe("damaged frames", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ env: { WORKER_THREADS: "1" } });
  });

  afterAll(async () => service.stop());

  it("are analyzed or refused, and the service keeps running", async () => {
    const files = await originals;
    const change = fc.record({
      file: fc.nat(files.length - 1),
      cut: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      bytes: fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), {
        maxLength: 12,
      }),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ file, cut, bytes }) => {
        const frame = Uint8Array.from(files[file] ?? []);
        for (const [place, value] of bytes) frame[Math.floor(place * frame.length)] = value;
        const sent = cut === null ? frame : frame.subarray(0, Math.floor(cut * frame.length));
        const response = await service.detect({ categories: ["heads", "barcodes"] }, [sent]);
        expect([200, 422]).toContain(response.status);
        await response.text();
      }),
      { numRuns: 150, seed: 20_260 },
    );
    const [whole] = files;
    await answerOf(await service.detect({ categories: ["heads"] }, [whole]));
  });

  it("cut off anywhere are refused", async () => {
    for (const file of await originals) {
      for (const share of [0.2, 0.5, 0.8]) {
        const cut = file.subarray(0, Math.floor(file.length * share));
        expect(await decodeFrame(cut, limits)).toHaveProperty("refusal");
      }
    }
  });
});

async function decoded(frame: Uint8Array): Promise<unknown> {
  return decodeFrame(frame, limits);
}

describe("unusual frames", () => {
  it("of every colour kind decode to RGB", async () => {
    const grey = await photoLike(40, 30).greyscale().png().toBuffer();
    const deep = await photoLike(40, 30).toColourspace("rgb16").png().toBuffer();
    const palette = await photoLike(40, 30).png({ palette: true }).toBuffer();
    const transparent = await photoLike(40, 30).ensureAlpha(0.2).webp().toBuffer();
    const print = await photoLike(40, 30).toColourspace("cmyk").jpeg().toBuffer();
    for (const frame of [grey, deep, palette, transparent, print]) {
      expect(await decoded(frame)).toMatchObject({ storedWidth: 40, picture: { width: 40, height: 30 } });
    }
  });

  it("one pixel wide are analyzed", async () => {
    expect(await decoded(await photoLike(1, 300).png().toBuffer())).toMatchObject({
      storedWidth: 1,
      storedHeight: 300,
    });
  });

  it("that are animated are refused, since only one picture would be analyzed", async () => {
    const frames = await Promise.all(
      ["#102030", "#a0b0c0"].map(async (background) =>
        sharp({ create: { width: 40, height: 30, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const animated = await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer();
    expect(await decoded(animated)).toMatchObject({ refusal: expect.stringContaining("animated") as string });
  });

  it("that decode only as a whole have a lower limit", async () => {
    const strict = { ...limits, maxBufferedPixels: 1000 };
    for (const frame of [
      await photoLike(40, 30).webp().toBuffer(),
      await photoLike(40, 30).jpeg({ progressive: true }).toBuffer(),
    ]) {
      expect(await decodeFrame(frame, strict)).toMatchObject({
        refusal: expect.stringContaining("1000") as string,
      });
    }
    for (const frame of [
      await photoLike(40, 30).jpeg().toBuffer(),
      await photoLike(40, 30).png({ progressive: true }).toBuffer(),
    ]) {
      expect(await decodeFrame(frame, strict)).not.toHaveProperty("refusal");
    }
  });

  it("that are large and interlaced are decoded one at a time, others beside them", async () => {
    const strict = { ...limits, maxBufferedPixels: 1000 };
    const interlaced = await photoLike(40, 30).png({ progressive: true }).toBuffer();
    const plain = await photoLike(40, 30).png().toBuffer();
    const running = { interlaced: 0, plain: 0 };
    const most = { interlaced: 0, plain: 0 };
    const pool = {
      run: async (_task: "decode", { bytes }: { bytes: Uint8Array }) => {
        const kind = bytes === interlaced ? "interlaced" : "plain";
        running[kind] += 1;
        most[kind] = Math.max(most[kind], running[kind]);
        await delay(5);
        running[kind] -= 1;
        return await decodeFrame(bytes, strict);
      },
    };
    const detector = new Detector({
      pool: pool as unknown as WorkerPool,
      runners: [],
      device: "cpu",
      limits: strict,
      frames: new Gate(8),
    });
    const frames = [interlaced, plain, interlaced, plain, interlaced, plain];
    const question = {
      categories: [],
      sensitivity: "normal" as const,
      minConfidence: {},
      withCandidates: false,
      isSingleLook: false,
    };
    const results = await detector.detect(frames, question, new AbortController().signal);
    expect(results).toHaveLength(frames.length);
    expect(most.interlaced).toBe(1);
    expect(most.plain).toBeGreaterThan(1);
  });
});

describe("a frame of 100 megapixels", () => {
  it("is decoded within the memory of its working size", async () => {
    const frame = await sharp({ create: { width: 12_500, height: 8000, channels: 3, background: "#446688" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const before = process.memoryUsage.rss();
    let peak = before;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 5);
    const result = await decodeFrame(frame, limits);
    clearInterval(timer);
    expect(result).toMatchObject({ storedWidth: 12_500, storedHeight: 8000, orientation: 6 });
    expect(result).toMatchObject({ picture: { width: 1600, height: 2500 } });
    expect((peak - before) / 2 ** 20).toBeLessThan(200);
  });
});

function head(i: number): Uint8Array {
  return new TextEncoder().encode(`--zz\r\ncontent-disposition: form-data; name=p${i}\r\n\r\n`);
}

describe("multipart bodies", () => {
  it("of any bytes are split or refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(3), (noise, cuts) => {
        const text =
          '--b\r\nContent-Disposition: form-data; name="frames"; filename="../../x"\r\n\r\nabc\r\n--b--\r\n';
        const body = new Uint8Array([...new TextEncoder().encode(text), ...noise]).subarray(cuts);
        try {
          expect(splitMultipart(body, "b", 3).every(({ name }) => typeof name === "string")).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
      }),
    );
  });

  it("give back the bytes of each part", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { minLength: 1, maxLength: 4 }), (parts) => {
        const chunks = parts.flatMap((part, i) => [head(i), part, new TextEncoder().encode("\r\n")]);
        const body = new Uint8Array(Buffer.concat([...chunks, new TextEncoder().encode("--zz--")]));
        const split = splitMultipart(body, "zz", 4);
        expect(split.map(({ name }) => name)).toEqual(parts.map((_, i) => `p${i}`));
        expect(split.map(({ data }) => Uint8Array.from(data))).toEqual(parts);
      }),
    );
  });
});
