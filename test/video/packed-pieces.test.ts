import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { PieceRanges, PieceReader } from "../../src/records/video-tasks/pieces.ts";
import { packedPieces, packedWriter } from "../../src/work/video/tasks/packed-pieces.ts";
import { Random } from "../support/random.ts";

/** Of 160×90 pixels. */
const FRAME_BYTES = 21_600;
const FRAMES = 450;

/** A picture with some noise that moves a little from frame to frame. */
function frameAt(frame: number): Uint8Array {
  const random = new Random(frame);
  return Uint8Array.from({ length: FRAME_BYTES }, (_, at) => {
    const slow = ((at + frame) % 160) + Math.floor(at / 160);
    return (slow + random.int(0, 2)) % 256;
  });
}

const KEY = "acc_test/pieces/coarse";

test("coarse frames of several pieces come back as they were, in order and at any place, and take less room", async () => {
  const writer = packedWriter(env.MEDIA, KEY);
  for (let frame = 0; frame < FRAMES; frame++) await writer.write(frameAt(frame));
  await writer.finish();
  const { objects } = await env.MEDIA.list({ prefix: "acc_test/pieces/" });
  expect(objects).toHaveLength(Math.ceil((FRAMES * FRAME_BYTES) / (4 * 1024 * 1024)));
  const storedBytes = objects.reduce((sum, { size }) => sum + size, 0);
  expect(storedBytes).toBeLessThan((FRAMES * FRAME_BYTES) / 2);
  const reader = new PieceReader(packedPieces(env.MEDIA, KEY), 100 * FRAME_BYTES);
  for (let frame = 100; frame < FRAMES; frame++)
    if (!same(await reader.read(FRAME_BYTES), frameAt(frame))) throw new Error(`Frame ${frame} differs.`);
  reader.close();
  const ranges = new PieceRanges(packedPieces(env.MEDIA, KEY));
  for (const frame of [449, 0, 194, 195, 193, 388, 10])
    expect(same(await ranges.read(frame * FRAME_BYTES, FRAME_BYTES), frameAt(frame))).toBe(true);
  await expect(ranges.read(FRAMES * FRAME_BYTES, 1)).rejects.toMatchObject({
    code: "stored_data_unreadable",
    isPermanent: true,
  });
});

function same(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
