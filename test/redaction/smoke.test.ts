import { expect, it } from "vitest";
import { redactImage } from "../../src/redaction/index.ts";
import { decodeWebp, encodeWebp } from "../../src/redaction/webp/codec.ts";

it("redacts a WebP picture inside a Worker", async () => {
  const width = 96;
  const height = 64;
  const data = new Uint8Array(width * height * 4);
  for (let index = 0; index < data.length; index++)
    data[index] = index % 4 === 3 ? 255 : (index * 7919) % 251;
  const source = await encodeWebp({ data, width, height }, true);
  const redacted = await redactImage({
    source,
    format: "webp",
    regions: [{ category: "heads", shape: "box", box: [0.25, 0.25, 0.5, 0.5] }],
    method: "pixelation",
  });
  expect(redacted).toMatchObject({ width, height, maskedPixels: 48 * 32 });
  const after = await decodeWebp(redacted.bytes);
  let changed = 0;
  for (let pixel = 0; pixel < width * height; pixel++) {
    const x = pixel % width;
    const y = Math.floor(pixel / width);
    const isInside = x >= 24 && x < 72 && y >= 16 && y < 48;
    const isEqual = [0, 1, 2, 3].every(
      (channel) => data[pixel * 4 + channel] === after.data[pixel * 4 + channel],
    );
    if (!isInside) expect(isEqual).toBe(true);
    else if (!isEqual) changed++;
  }
  expect(changed).toBeGreaterThan(1500);
});
