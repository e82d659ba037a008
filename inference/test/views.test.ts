import { describe, expect, it } from "vitest";
import type { Picture } from "../src/images/decode.ts";
import { cutView, type TensorFormat } from "../src/images/view.ts";
import { discard } from "../src/platform/discard.ts";

const PAD = 114;

/** Columns of rising grey. */
function pictureOf(width: number, height: number): Picture {
  const pixels = new SharedArrayBuffer(width * height * 3);
  new Uint8Array(pixels).forEach((_, i, all) => (all[i] = Math.floor(i / 3) % width));
  return { width, height, pixels };
}

function formatOf(layout: TensorFormat["layout"]): TensorFormat {
  return {
    layout,
    channels: "rgb",
    mean: [0, 0, 0],
    std: [1, 1, 1],
    padValue: PAD,
    sizeMultiple: 64,
  };
}

describe("views in the mirror", () => {
  it.each([
    { name: "as it is", scaled: { scaledWidth: 100, scaledHeight: 50 } },
    { name: "reduced", scaled: { scaledWidth: 61, scaledHeight: 31 } },
    { name: "enlarged", scaled: { scaledWidth: 150, scaledHeight: 75 } },
  ])("have the columns of the view from right to left: $name", async ({ scaled }) => {
    const picture = pictureOf(100, 50);
    const view = { left: 0, top: 0, width: 100, height: 50, ...scaled };
    const usual = await cutView(picture, view, formatOf("nhwc_uint8"));
    const mirrored = await cutView(picture, { ...view, isMirrored: true }, formatOf("nhwc_uint8"));
    const rowOf = (data: ArrayLike<number>): number[] =>
      Array.from({ length: scaled.scaledWidth }, (_, x) => data[(usual.width * 10 + x) * 3] ?? -1);
    expect(rowOf(mirrored.data)).toEqual(rowOf(usual.data).toReversed());
    expect(mirrored.data.at(-1)).toBe(PAD);
  });
});

describe("memory of pictures", () => {
  it("is freed at once where threads do not share it", () => {
    const own = new Uint8Array(8).fill(7);
    const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(7);
    const halves = [new Float32Array(8).subarray(0, 4), own].flatMap((one) => [one, one]);
    for (const one of [...halves, shared]) discard(one);
    expect([own.length, own.buffer.detached, halves[0]?.length]).toEqual([0, true, 0]);
    expect([...shared]).toEqual(Array.from({ length: 8 }, () => 7));
  });

  it("does not grow with the views that were cut", async () => {
    const picture = pictureOf(2000, 2000);
    const view = { left: 0, top: 0, width: 2000, height: 2000, scaledWidth: 1984, scaledHeight: 1984 };
    const cut = async (): Promise<void> => {
      discard((await cutView(picture, view, formatOf("nhwc_uint8"))).data);
    };
    await cut();
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 40; i += 1) await cut();
    // One view kept of every two would be more.
    expect(process.memoryUsage().rss - before).toBeLessThan(230_000_000);
  });

  it.each([
    { name: "as large as the input", width: 128, height: 64, scaled: { scaledWidth: 128, scaledHeight: 64 } },
    { name: "reduced to the input", width: 256, height: 128, scaled: { scaledWidth: 128, scaledHeight: 64 } },
    { name: "padded", width: 200, height: 100, scaled: { scaledWidth: 100, scaledHeight: 50 } },
  ])("leaves the picture and a whole tensor: $name", async ({ width, height, scaled }) => {
    const picture = pictureOf(width, height);
    const before = Uint8Array.from(new Uint8Array(picture.pixels));
    const view = { left: 0, top: 0, width, height, ...scaled };
    const bytes = await cutView(picture, view, formatOf("nhwc_uint8"));
    const planes = await cutView(picture, view, formatOf("nchw"));
    expect([bytes.width, bytes.height, bytes.data.length]).toEqual([128, 64, 128 * 64 * 3]);
    expect(bytes.data.buffer).toBeInstanceOf(ArrayBuffer);
    const places = [0, scaled.scaledWidth - 1, 128 * 20 + 40, 128 * 64 - 1];
    expect(places.map((place) => planes.data[place])).toEqual(places.map((place) => bytes.data[place * 3]));
    const corner = scaled.scaledHeight < 64 ? PAD : (before.at(-1) ?? 0);
    expect(Math.abs((bytes.data.at(-1) ?? 0) - corner)).toBeLessThanOrEqual(1);
    expect(new Uint8Array(picture.pixels)).toEqual(before);
  });
});
