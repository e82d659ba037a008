import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { OpenSource } from "../../src/pixels/redaction/bytes/byte-source.ts";
import { previewImage } from "../../src/pixels/redaction/index.ts";
import { redactJpeg } from "../../src/pixels/redaction/jpeg/jpeg.ts";
import { redactPng } from "../../src/pixels/redaction/png/png.ts";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import type { Redaction, RedactionTask } from "../../src/pixels/redaction/painting/task.ts";
import { largeBaselineJpeg, largePng, largeProgressiveJpeg } from "./support/large-files.ts";

const MEBIBYTE = 1024 * 1024;

interface Size {
  readonly width: number;
  readonly height: number;
}

const REGIONS: readonly Region[] = Array.from({ length: 40 }, (_, index) => ({
  category: index % 3 === 0 ? "writing" : "heads",
  shape: "ellipse",
  box: [(index % 8) / 8, Math.floor(index / 8) / 5, 0.1, 0.15],
}));

/** Bytes alive: the heap and every buffer, after a collection. */
function aliveBytes(): number {
  if (globalThis.gc === undefined) throw new Error("run with --expose-gc");
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Processes a file and returns the peak of the bytes alive above those at the start, measured while the file is read. */
async function watchBytes(
  open: OpenSource,
  pullsBetweenLooks: number,
  work: (watched: OpenSource, look: () => void) => Promise<void>,
): Promise<number> {
  aliveBytes();
  await delay(50);
  const before = aliveBytes();
  let peak = 0;
  let opened = 0;
  const look = (): void => {
    peak = Math.max(peak, aliveBytes() - before);
  };
  const watched: OpenSource = async () => {
    const reader = (await open()).getReader();
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (opened++ % pullsBetweenLooks === 0) look();
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        async cancel() {
          await reader.cancel();
        },
      },
      { highWaterMark: 0 },
    );
  };
  await work(watched, look);
  return peak;
}

/** The peak of the bytes alive while a file is redacted. */
async function peakBytes(
  redact: (task: RedactionTask) => Promise<Redaction>,
  open: OpenSource,
  pullsBetweenLooks = 200,
): Promise<number> {
  return await watchBytes(open, pullsBetweenLooks, async (watched, look) => {
    const { chunks } = await redact({ open: watched, regions: REGIONS, method: "blur" });
    let written = 0;
    let taken = 0;
    for await (const chunk of chunks()) {
      written += chunk.byteLength;
      if (taken++ % 50 === 0) look();
    }
    expect(written).toBeGreaterThan(1000);
  });
}

/** The peak of the bytes alive while a preview of a file is made. */
async function peakOfPreview(open: OpenSource, format: "jpeg" | "png", size: Size): Promise<number> {
  return await watchBytes(open, 200, async (watched) => {
    const picture = { open: watched, format, ...size, sizeBytes: 100_000_000, orientation: 1 } as const;
    expect((await previewImage(picture))?.byteLength).toBeGreaterThan(100);
  });
}

function inPieces(bytes: Uint8Array): OpenSource {
  return async () => {
    let at = 0;
    return await Promise.resolve(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.byteLength) controller.close();
          else controller.enqueue(bytes.subarray(at, (at += 2048)));
        },
      }),
    );
  };
}

describe("memory", () => {
  it("stays under 24 MiB for a baseline JPEG of 100 megapixels", async () => {
    const open = await largeBaselineJpeg(10_000, 625);
    expect(await peakBytes(redactJpeg, open)).toBeLessThan(24 * MEBIBYTE);
  });

  it("stays under 24 MiB for a PNG of 100 megapixels", async () => {
    const open = largePng(10_000, 10_000);
    expect(await peakBytes(redactPng, open)).toBeLessThan(24 * MEBIBYTE);
  });

  it("stays under 96 MiB for a progressive JPEG of 24 megapixels", async () => {
    const file = largeProgressiveJpeg(6000, 4000);
    const peak = await peakBytes(redactJpeg, inPieces(file), 20);
    expect(peak).toBeGreaterThan(0);
    expect(peak + file.byteLength).toBeLessThan(96 * MEBIBYTE);
  });

  it("stays under 24 MiB for small versions of files of 100 megapixels", async () => {
    const size = { width: 10_000, height: 10_000 };
    const ofJpeg = await peakOfPreview(await largeBaselineJpeg(10_000, 625), "jpeg", size);
    const ofPng = await peakOfPreview(largePng(10_000, 10_000), "png", size);
    expect(Math.max(ofJpeg, ofPng)).toBeLessThan(24 * MEBIBYTE);
  });
});
