import { expect, it } from "vitest";
import { RedactionError } from "../../src/pixels/redaction/bytes/errors.ts";
import { redactPng } from "../../src/pixels/redaction/png/png.ts";
import { mutate } from "../redaction-node/support/mutate.ts";
import { joinBytes, pngChunk, readChunks, through } from "../redaction-node/support/png-file.ts";
import { COLOUR_TYPES, randomPng, readPixels } from "../redaction-node/support/random-png.ts";
import { openInPieces, redactBytes } from "../redaction-node/support/redact.ts";
import { Random } from "../support/random.ts";

const MUTANTS_PER_FILE = 12;
const REGION = { category: "heads", shape: "ellipse", box: [0.2, 0.2, 0.5, 0.5] } as const;
const MEBIBYTE = 1024 * 1024;

/** The picture with other picture data, in IDAT chunks of at most `chunkBytes`. */
function withData(file: Uint8Array, data: Uint8Array, chunkBytes: number): Uint8Array {
  const parts: Uint8Array[] = [file.subarray(0, 8)];
  for (const { name, payload } of readChunks(file).filter((chunk) => chunk.name !== "IDAT")) {
    const end = name === "IEND" ? data.length : 0;
    for (let at = 0; at < end; at += chunkBytes)
      parts.push(pngChunk("IDAT", data.subarray(at, at + chunkBytes)));
    parts.push(pngChunk(name, payload));
  }
  return joinBytes(parts);
}

function dataOf(file: Uint8Array): Uint8Array {
  return joinBytes(readChunks(file).flatMap(({ name, payload }) => (name === "IDAT" ? [payload] : [])));
}

it.each([1, 5, 10_000])(
  "a wrong or missing checksum is refused, in chunks of %i bytes",
  async (chunkBytes) => {
    const { file } = await randomPng(new Random(5), { colourType: 2, bitDepth: 8, isInterlaced: false });
    const data = dataOf(file);
    await readPixels(await redactBytes("png", withData(file, data, chunkBytes), [REGION], "blur"));
    const wrong = data.slice();
    wrong[data.length - 1] = (wrong.at(-1) ?? 0) ^ 1;
    for (const damaged of [wrong, data.subarray(0, -1), data.subarray(0, -4), data.subarray(0, -5)]) {
      const attempt = redactBytes("png", withData(file, damaged, chunkBytes), [REGION], "blur");
      await expect(attempt).rejects.toMatchObject({ name: "RedactionError", code: "undecodable" });
    }
  },
);

it("bytes after the picture data are ignored, whether they are compressed or not", async () => {
  const { file } = await randomPng(new Random(6), { colourType: 0, bitDepth: 8, isInterlaced: false });
  const redacted = await redactBytes("png", file, [REGION], "blur");
  const data = dataOf(file);
  const rows = await through(data, new DecompressionStream("deflate"));
  const surplus = await through(joinBytes([rows, new Uint8Array(70_000)]), new CompressionStream("deflate"));
  for (const longer of [surplus, joinBytes([data, new Uint8Array(100)])]) {
    for (const chunkBytes of [7, 100_000]) {
      expect(await redactBytes("png", withData(file, longer, chunkBytes), [REGION], "blur")).toEqual(
        redacted,
      );
    }
  }
});

it("picture data that inflates to a thousand times its size is read a piece at a time", async () => {
  const [width, height] = [8000, 8000];
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 0], 8);
  const row = new Uint8Array(1 + width);
  let rows = 0;
  const raw = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (rows++ < height) controller.enqueue(row);
      else controller.close();
    },
  });
  const compressed = raw.pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(compressed).arrayBuffer());
  expect(data.byteLength).toBeLessThan((width * height) / 500);
  const file = joinBytes([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    pngChunk("IHDR", header),
    pngChunk("IDAT", data),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
  const { chunks, maskedPixels } = await redactPng({
    open: openInPieces(file),
    regions: [REGION],
    method: "pixelation",
  });
  let written = 0;
  for await (const chunk of chunks()) written += chunk.byteLength;
  expect(maskedPixels).toBeGreaterThan(width * height * 0.15);
  expect(written).toBeLessThan(MEBIBYTE);
});

it("damaged files are redacted or refused", async () => {
  let refused = 0;
  for (const { colourType, depths } of COLOUR_TYPES) {
    for (const bitDepth of depths) {
      const random = new Random(100 * colourType + bitDepth);
      const { file } = await randomPng(random, { colourType, bitDepth, isInterlaced: random.next() < 0.5 });
      for (let run = 0; run < MUTANTS_PER_FILE; run++) {
        const damaged = mutate(random, file);
        try {
          await readPixels(await redactBytes("png", damaged, [REGION], "pixelation"));
        } catch (error) {
          if (!(error instanceof RedactionError)) throw error;
          refused++;
        }
      }
    }
  }
  expect(refused).toBeGreaterThan(50);
});
