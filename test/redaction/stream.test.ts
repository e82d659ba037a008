import { describe, expect, it } from "vitest";
import { redactImage, redactStream, type Region } from "../../src/pixels/redaction/index.ts";
import type { ImageFormat } from "../../src/ground/vocabulary/media-values.ts";
import { Random } from "../support/random.ts";
import { randomOptions, randomPicture } from "../redaction-node/support/random-jpeg.ts";
import { randomPng, readPixels } from "../redaction-node/support/random-png.ts";
import { readJpeg } from "../redaction-node/support/read-jpeg.ts";
import { writeJpeg } from "../redaction-node/support/write-jpeg.ts";

const REGIONS: readonly Region[] = [
  { category: "heads", shape: "ellipse", box: [0.2, 0.2, 0.5, 0.5] },
  { category: "writing", shape: "box", box: [0.1, 0.7, 0.6, 0.2] },
];

async function makeFile(format: ImageFormat, seed: number): Promise<Uint8Array> {
  const random = new Random(seed);
  if (format === "png") {
    return (await randomPng(random, { colourType: 2, bitDepth: 8, isInterlaced: seed % 2 === 0 })).file;
  }
  const picture = randomPicture(random, { sampling: "4:2:0", isProgressive: seed % 2 === 0 });
  return writeJpeg(picture, randomOptions(random, picture));
}

function openInPieces(bytes: Uint8Array, pieceBytes: number, opened: { count: number }) {
  return async () => {
    opened.count++;
    let at = 0;
    return await Promise.resolve(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.byteLength) controller.close();
          else controller.enqueue(bytes.slice(at, (at += pieceBytes)));
        },
      }),
    );
  };
}

describe.each(["jpeg", "png"] as const)("redactStream of %s inside a Worker", (format) => {
  it("writes what redactImage writes, however the source arrives, reading it as often as it says", async () => {
    for (let seed = 1; seed <= 6; seed++) {
      const source = await makeFile(format, seed);
      const whole = await redactImage({ source, format, regions: REGIONS, method: "blur" });
      if (format === "jpeg") readJpeg(whole.bytes);
      else await readPixels(whole.bytes);
      for (const pieceBytes of [1, 7, 4096]) {
        const opened = { count: 0 };
        const open = openInPieces(source, pieceBytes, opened);
        const { stream, ...rest } = await redactStream({ open, format, regions: REGIONS, method: "blur" });
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        expect(bytes).toEqual(whole.bytes);
        expect(rest).toEqual({ width: whole.width, height: whole.height, maskedPixels: whole.maskedPixels });
        expect(opened.count).toBe(format === "jpeg" ? 3 : 2);
      }
    }
  });

  it("ends its source when the reader goes away", async () => {
    const source = await makeFile(format, 3);
    const { stream } = await redactStream({
      open: openInPieces(source, 64, { count: 0 }),
      format,
      regions: REGIONS,
      method: "pixelation",
    });
    const reader = stream.getReader();
    await reader.read();
    await expect(reader.cancel()).resolves.toBeUndefined();
  });

  it("refuses a file that is no picture", async () => {
    for (const source of [
      new Uint8Array(0),
      new Uint8Array(500),
      (await makeFile(format, 1)).subarray(0, 20),
    ]) {
      const attempt = redactImage({ source, format, regions: REGIONS, method: "blur" });
      await expect(attempt).rejects.toMatchObject({ name: "RedactionError", code: "undecodable" });
    }
  });

  it("refuses regions without an extent", async () => {
    const source = await makeFile(format, 1);
    const regions: Region[] = [{ category: "heads", shape: "box", box: [Number.NaN, 0, 1, 1] }];
    const attempt = redactImage({ source, format, regions, method: "blur" });
    await expect(attempt).rejects.toMatchObject({ code: "invalid_region" });
  });
});
