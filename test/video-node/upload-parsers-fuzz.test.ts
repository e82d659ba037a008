import { describe, expect, it } from "vitest";
import { ImageHeaderError } from "../../src/intake/uploads/files/header-parser.ts";
import { ImageHeaderReader } from "../../src/intake/uploads/files/image-header.ts";
import { sniff, SNIFF_BYTES } from "../../src/intake/uploads/files/sniff.ts";
import { probeVideo, VideoProbeError } from "../../src/work/video/containers/probe.ts";
import { cpuMs } from "../node-support/cpu-time.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { mutate } from "../redaction-node/support/mutate.ts";
import { Random } from "../support/random.ts";
import sharp from "sharp";

/** `npm run fuzz -- --runs 100000 --seed 7` runs long. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 300);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const HANG_MS = 5_000;
/** A probe must not read more than this many times the file's size. */
const MOST_READ_AGAIN = 40;
const LIMITS = {
  maxLongSidePixels: 1920,
  maxShortSidePixels: 1088,
  maxFramesPerSecond: 60,
  maxDurationSeconds: 3600,
  decodesAv1: async () => false,
};

const CLIPS = [
  { format: "mp4", filename: "a.mp4", codec: "-c:v libx264 -preset ultrafast -bf 2" },
  { format: "quicktime", filename: "a.mov", codec: "-c:v libx264 -preset ultrafast" },
  { format: "webm", filename: "a.webm", codec: "-c:v libvpx -deadline realtime" },
  { format: "mp4", filename: "a.avi", codec: "-c:v mpeg4" },
  { format: "mp4", filename: "a.mkv", codec: "-c:v libx264 -preset ultrafast -bf 2" },
] as const;

describe("what an upload is opened with", () => {
  it.for(CLIPS)(
    "a damaged $filename is refused with a sentence or read, soon and without much reading",
    async (clip) => {
      const random = new Random(SEED);
      const { bytes: source } = await ffmpeg(
        {},
        `-f lavfi -i testsrc=size=64x48:rate=10:duration=1 -pix_fmt yuv420p ${clip.codec}`.split(" "),
        clip.filename,
      );
      let opened = 0;
      for (let run = 0; run < RUNS; run++) {
        const bytes = mutate(random, source);
        let readBytes = 0;
        const read = async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> => {
          readBytes += end - start;
          return await Promise.resolve(new Uint8Array(bytes.subarray(start, end)));
        };
        const startedAtMs = cpuMs();
        const file = { read, sizeBytes: bytes.length, format: clip.format };
        try {
          const { widthPixels, heightPixels, durationSeconds } = await probeVideo(file, LIMITS);
          opened += 1;
          expect(widthPixels * heightPixels).toBeGreaterThan(0);
          expect(durationSeconds).toBeGreaterThanOrEqual(0);
          expect(durationSeconds).toBeLessThanOrEqual(LIMITS.maxDurationSeconds);
        } catch (error) {
          expect(error).toBeInstanceOf(VideoProbeError);
        }
        expect(cpuMs() - startedAtMs).toBeLessThan(HANG_MS);
        expect(readBytes).toBeLessThan(MOST_READ_AGAIN * Math.max(bytes.length, 65_536));
      }
      expect(opened).toBeGreaterThan(0);
      expect(opened).toBeLessThan(RUNS);
    },
  );

  it.for(["jpeg", "png", "webp", "gif", "tiff"] as const)(
    "a damaged %s shows its size or is refused",
    async (format) => {
      const random = new Random(SEED);
      const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: "#a52" } });
      const source = new Uint8Array(await picture.toFormat(format).toBuffer());
      for (let run = 0; run < RUNS * 4; run++) {
        const bytes = mutate(random, source);
        const sniffed = await sniff(bytes.subarray(0, SNIFF_BYTES));
        expect("format" in sniffed || sniffed.refusal.endsWith(".")).toBe(true);
        try {
          const reader = new ImageHeaderReader(format);
          for (let at = 0; at < bytes.length; at += 7) reader.push(bytes.subarray(at, at + 7));
          const { widthPixels, heightPixels } = reader.finish();
          expect(Math.min(widthPixels, heightPixels)).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(ImageHeaderError);
        }
      }
    },
  );
});
