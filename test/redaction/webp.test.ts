import { describe, expect, it } from "vitest";
import { redactImage, type Region } from "../../src/pixels/redaction/index.ts";
import { rebuildProfile } from "../../src/pixels/redaction/icc/profile.ts";
import { decodeWebp, encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { readWebp, writeWebp } from "../../src/pixels/redaction/webp/container.ts";
import { PROFILE_KINDS } from "../redaction-node/support/icc-kinds.ts";
import { writeProfile } from "../redaction-node/support/icc-profile.ts";

const WIDTH = 96;
const HEIGHT = 64;
const REGIONS: readonly Region[] = [{ category: "heads", shape: "box", box: [0.25, 0.25, 0.5, 0.5] }];

function drawPicture(): Uint8Array {
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let index = 0; index < data.length; index++) {
    data[index] = index % 4 === 3 ? 200 + (index % 56) : (index * 7919) % 251;
  }
  return data;
}

function isInside(pixel: number): boolean {
  const x = pixel % WIDTH;
  const y = Math.floor(pixel / WIDTH);
  return x >= 24 && x < 72 && y >= 16 && y < 48;
}

describe("WebP", () => {
  it("keeps every pixel outside when lossless, and one colour a cell inside", async () => {
    const data = drawPicture();
    const source = await encodeWebp({ data, width: WIDTH, height: HEIGHT }, true);
    const redacted = await redactImage({ source, format: "webp", regions: REGIONS, method: "pixelation" });
    expect(redacted).toMatchObject({ width: WIDTH, height: HEIGHT, maskedPixels: 48 * 32 });
    const after = await decodeWebp(redacted.bytes);
    const colours = new Set<string>();
    for (let pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
      const colour = after.data.slice(pixel * 4, pixel * 4 + 4).join();
      if (isInside(pixel)) colours.add(colour);
      else expect(colour).toBe(data.slice(pixel * 4, pixel * 4 + 4).join());
    }
    expect(colours.size).toBeLessThanOrEqual(6);
  });

  it("stays lossy when it was, and keeps orientation and profile", async () => {
    const data = drawPicture();
    const plain = await encodeWebp({ data, width: WIDTH, height: HEIGHT }, false);
    const [[, spec] = []] = PROFILE_KINDS;
    const profile = spec === undefined ? undefined : rebuildProfile(writeProfile(spec));
    if (profile === undefined) throw new Error("There is no profile.");
    const info = { ...readWebp(plain), iccProfile: profile, orientation: 6 as const };
    const source = writeWebp(plain, info);
    expect(readWebp(source)).toMatchObject({ orientation: 6, iccProfile: profile });
    const { bytes } = await redactImage({ source, format: "webp", regions: REGIONS, method: "blur" });
    expect(readWebp(bytes)).toMatchObject({ ...info, isLossless: false });
    const after = await decodeWebp(bytes);
    expect(after).toMatchObject({ width: WIDTH, height: HEIGHT });
  });

  it.each([
    ["an animation", "unsupported"],
    ["a cut-off file", "undecodable"],
    ["something else", "undecodable"],
  ] as const)("refuses %s as %s", async (what, code) => {
    const plain = await encodeWebp({ data: drawPicture(), width: WIDTH, height: HEIGHT }, false);
    let source = writeWebp(plain, { ...readWebp(plain), orientation: 3 });
    if (what === "an animation") source[20] = (source[20] ?? 0) | 2;
    if (what === "a cut-off file") source = source.subarray(0, 60);
    if (what === "something else") source = new Uint8Array(200);
    const attempt = redactImage({ source, format: "webp", regions: REGIONS, method: "blur" });
    await expect(attempt).rejects.toMatchObject({ name: "RedactionError", code });
  });
});
