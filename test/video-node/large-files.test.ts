import { beforeAll, expect, test } from "vitest";
import { findBytes } from "../../src/platform/buffers.ts";
import { openSource } from "../../src/video/containers/open-container.ts";
import { packetsOf } from "../../src/video/containers/track-packets.ts";
import { probeVideo, VideoProbeError } from "../../src/video/containers/probe.ts";
import type { RangeReader } from "../../src/video/containers/stored-ranges.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";

const GIGABYTES = 3_000_000_000;
const MOST_READ_BYTES = 8_000_000;
const LIMITS = {
  maxLongSidePixels: 1920,
  maxShortSidePixels: 1088,
  maxFramesPerSecond: 60,
  maxDurationSeconds: 3600,
  decodesAv1: async () => false,
};

/** A file of which the middle is empty space that nobody has to make; counts what is read of it. */
interface HollowFile {
  readonly read: RangeReader;
  readonly sizeBytes: number;
  readBytes: number;
}

let small: Uint8Array;

beforeAll(async () => {
  const args =
    "-f lavfi -i testsrc=size=320x240:rate=30:duration=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p";
  small = (await ffmpeg({}, args.split(" "), "small.mp4")).bytes;
});

/** The MP4 with gigabytes between its frames and its index, which stands at its end as cameras write it. */
function hollow(): HollowFile {
  const indexAt = findBytes(small, new TextEncoder().encode("moov")) - 4;
  const head = new Uint8Array(16);
  const view = new DataView(head.buffer);
  view.setUint32(0, 1);
  head.set(new TextEncoder().encode("free"), 4);
  view.setBigUint64(8, BigInt(GIGABYTES));
  const pieces = [
    { at: 0, bytes: small.subarray(0, indexAt) },
    { at: indexAt, bytes: head },
    { at: indexAt + GIGABYTES, bytes: small.subarray(indexAt) },
  ];
  const file: HollowFile = {
    sizeBytes: small.length + GIGABYTES,
    readBytes: 0,
    async read(start, end) {
      file.readBytes += end - start;
      const range = new Uint8Array(end - start);
      for (const { at, bytes } of pieces) {
        const from = Math.max(start, at);
        const to = Math.min(end, at + bytes.length);
        if (from < to) range.set(bytes.subarray(from - at, to - at), from - start);
      }
      return range;
    },
  };
  return file;
}

test("a video of gigabytes is accepted without being read as a whole", async () => {
  const file = hollow();
  expect(await probeVideo({ ...file, format: "mp4" }, LIMITS)).toMatchObject({
    widthPixels: 320,
    heightPixels: 240,
    durationSeconds: 1,
  });
  expect(file.readBytes).toBeGreaterThan(0);
  expect(file.readBytes).toBeLessThan(MOST_READ_BYTES);
});

test("and is refused so too, while its first frame can be read", async () => {
  const file = hollow();
  const { container } = await openSource(file.read, file.sizeBytes);
  const probed = probeVideo({ ...file, format: "mp4" }, { ...LIMITS, maxLongSidePixels: 300 });
  const [track] = await container.getVideoTracks();
  if (track === undefined) throw new Error("The file has no video track.");
  const { value: first } = await packetsOf(track).next();
  container.dispose();
  await expect(probed).rejects.toThrow(VideoProbeError);
  expect(first?.type).toBe("key");
  expect(findBytes(small, first?.data ?? new Uint8Array([1]))).toBeGreaterThan(0);
  expect(file.readBytes).toBeLessThan(MOST_READ_BYTES);
});
