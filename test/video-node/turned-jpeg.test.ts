import sharp from "sharp";
import { expect, it } from "vitest";
import { toOrientation, toStoredPoint } from "../../inference/src/geometry/orientation.ts";
import { orientationOfTurn, turnJpeg, type FrameTurn } from "../../src/work/video/sampling/turned-jpeg.ts";

const TURNS: readonly FrameTurn[] = ([0, 90, 180, 270] as const).flatMap((rotationDegrees) => [
  { rotationDegrees, isFlipped: false },
  { rotationDegrees, isFlipped: true },
]);
const [WIDTH, HEIGHT] = [48, 32];

/** A frame with a light corner at the stored top left. */
async function jpegOf(): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = new Uint8Array(WIDTH * HEIGHT);
  for (let y = 0; y < 12; y++) pixels.fill(255, y * WIDTH, y * WIDTH + 16);
  const raw = { width: WIDTH, height: HEIGHT, channels: 1 as const };
  return Uint8Array.from(await sharp(pixels, { raw }).jpeg({ quality: 95 }).toBuffer());
}

/** Maps a point of the stored frame to its shown position: rotated clockwise, then mirrored. Both are in 0…1. */
function shownAt([x, y]: readonly [number, number], { rotationDegrees, isFlipped }: FrameTurn) {
  const turned = {
    0: [x, y],
    90: [1 - y, x],
    180: [1 - x, 1 - y],
    270: [y, 1 - x],
  }[rotationDegrees] as [number, number];
  return [isFlipped ? 1 - turned[0] : turned[0], turned[1]] as const;
}

it.each(TURNS)("shows a frame as a player does: $rotationDegrees°, flipped: $isFlipped", async (turn) => {
  const jpeg = turnJpeg(await jpegOf(), orientationOfTurn(turn));
  const { data, info } = await sharp(jpeg)
    .autoOrient()
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [u, v] = shownAt([0.12, 0.15], turn);
  expect(data[Math.floor(v * info.height) * info.width + Math.floor(u * info.width)]).toBeGreaterThan(200);
  expect(
    data[Math.floor((1 - v) * info.height) * info.width + Math.floor((1 - u) * info.width)],
  ).toBeLessThan(60);
});

it.each(TURNS)("is undone by the detector: $rotationDegrees°, flipped: $isFlipped", (turn) => {
  const point = [0.2, 0.7] as const;
  const [x, y] = toStoredPoint(shownAt(point, turn), toOrientation(orientationOfTurn(turn)));
  expect(x).toBeCloseTo(point[0]);
  expect(y).toBeCloseTo(point[1]);
});

it("leaves a frame that is not turned as it is", async () => {
  const jpeg = await jpegOf();
  expect(turnJpeg(jpeg, 1)).toBe(jpeg);
});
