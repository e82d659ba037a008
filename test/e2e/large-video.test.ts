import { expect, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { redact } from "./client.ts";
import { VIDEO_TRACES, decodeVideo, packetsOf } from "./videos.ts";

const SIZE = { width: 3840, height: 2160 };
const FRAMES = 5;
const FRAMES_PER_SECOND = 60;
const LEAST_PSNR = 38;
const MOST_HIDDEN_PSNR = 15;
/** The hidden box in pixels, and how far cells of the mask may extend around it. */
const BOX = { left: 960, top: 720, right: 1920, bottom: 1440 };
const MARGIN_PX = 160;

/** Moving colors under a grid that is so fine that a mask removes it completely, with a tone. */
async function largeClip(): Promise<Uint8Array<ArrayBuffer>> {
  const seconds = FRAMES / FRAMES_PER_SECOND;
  const size = `${SIZE.width}x${SIZE.height}`;
  const picture = `testsrc2=size=${size}:rate=${FRAMES_PER_SECOND}:duration=${seconds},drawgrid=w=32:h=32:t=16:c=black`;
  const codec = "-c:v libx264 -preset ultrafast -qp 18 -bf 2 -pix_fmt yuv420p -c:a aac";
  const args = `-f lavfi -i ${picture} -f lavfi -i sine=duration=${seconds} ${codec} -metadata location=+52.5200+013.4050/`;
  const title = ["-metadata", "title=a private title"];
  return (await ffmpeg({}, [...args.split(" "), ...title], "clip.mp4")).bytes;
}

/** The PSNR of two frames' luma in dB, inside the box or beyond its margin. */
function psnr(before: Uint8Array, after: Uint8Array, isInside: boolean): number {
  const margin = isInside ? 0 : MARGIN_PX;
  let squares = 0;
  let pixels = 0;
  for (let y = 0; y < SIZE.height; y++) {
    const isRow = y >= BOX.top - margin && y < BOX.bottom + margin;
    for (let x = 0; x < SIZE.width; x++) {
      if ((isRow && x >= BOX.left - margin && x < BOX.right + margin) !== isInside) continue;
      const at = y * SIZE.width + x;
      squares += ((before[at] ?? 0) - (after[at] ?? 0)) ** 2;
      pixels += 1;
    }
  }
  return 10 * Math.log10((255 ** 2 * pixels) / Math.max(squares, 1e-9));
}

test("3840×2160 at 60 frames a second: a region is hidden in every frame, and the rest is what it was", async () => {
  const source = await largeClip();
  const box = {
    x: BOX.left / SIZE.width,
    y: BOX.top / SIZE.height,
    width: (BOX.right - BOX.left) / SIZE.width,
    height: (BOX.bottom - BOX.top) / SIZE.height,
  };

  const { bytes: output } = await redact(source, {
    filename: "clip.mp4",
    categories: ["qr_codes"],
    method: "pixelation",
    regions: [{ box }],
  });

  const [before, after] = [await decodeVideo(source, "clip.mp4"), await decodeVideo(output, "clip.mp4")];
  const lumaBytes = SIZE.width * SIZE.height;
  expect([before.length, after.length]).toEqual([FRAMES * lumaBytes * 1.5, FRAMES * lumaBytes * 1.5]);
  for (let frame = 0; frame < FRAMES; frame++) {
    const at = frame * lumaBytes * 1.5;
    const [was, is] = [before.subarray(at, at + lumaBytes), after.subarray(at, at + lumaBytes)];
    expect(psnr(was, is, true)).toBeLessThan(MOST_HIDDEN_PSNR);
    expect(psnr(was, is, false)).toBeGreaterThan(LEAST_PSNR);
  }
  const [from, to] = [await packetsOf(source, "clip.mp4"), await packetsOf(output, "clip.mp4")];
  expect(to.streams.length).toBe(2);
  expect(to.streams[0]?.presentationTicks).toEqual(from.streams[0]?.presentationTicks);
  expect(to.streams[1]).toEqual(from.streams[1]);
  for (const trace of VIDEO_TRACES) expect(output.includes(trace)).toBe(false);
});
