import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { findBytes } from "../../src/ground/platform/buffers.ts";
import { textBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { findBox } from "../../src/work/video/containers/boxes.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import type { Format } from "./formats/format.ts";
import { COPIED } from "./formats/copied-sources.ts";
import { redacted, sourceOf } from "./support/outcomes.ts";
import { packetTimes } from "./support/packet-times.ts";
import { changedShare, lumaOf } from "./support/revise-video.ts";
import { inspectVideo } from "./support/video-jobs.ts";

const FRAME_BYTES = 160 * 96;
const FRAMES_PER_SECOND = 25;
const BOX = [0.25, 0.25, 0.3, 0.4] as const;
const REGION = { category: "documents" as const, box: BOX, startSeconds: 1, endSeconds: 2 };
/** x264 writes its settings into supplemental information. */
const ENCODER_MARK = textBytes("x264 - core");

beginQuietly();

/** A source, its output, and the luma of all their frames. */
async function redactedFilm(
  format: Format,
  regions: readonly (typeof REGION)[],
  source: Uint8Array<ArrayBuffer>,
) {
  const video = await redacted(format.container, source, { masking: { regions }, detections: [] });
  expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
  const stored = await env.MEDIA.get(outputKey(video));
  const output = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer(0));
  const [before, after] = [await lumaOf(source), await lumaOf(output)];
  expect(after.length).toBe(before.length);
  const frames = Array.from({ length: before.length / FRAME_BYTES }, (_, frame) => frame);
  const isSame = (frame: number): boolean => {
    const from = frame * FRAME_BYTES;
    return before.subarray(from, from + FRAME_BYTES).every((luma, at) => luma === after[from + at]);
  };
  return { source, output, before, after, frames, unchanged: frames.filter(isSame) };
}

/** The type of the sample entry of the first track that has one. */
function entryOf(movie: Uint8Array): string {
  const stsd = findBox(movie, "moov", "trak", "mdia", "minf", "stbl", "stsd");
  return String.fromCharCode(...(stsd?.content.subarray(12, 16) ?? []));
}

test.for(COPIED.map((format) => [format.property, format] as const))(
  "only segments in which something is hidden are encoded again: %s",
  async ([, format]) => {
    const { source, output, before, after, frames, unchanged } = await redactedFilm(
      format,
      [REGION],
      await sourceOf(format),
    );
    const [first = 0] = unchanged;
    expect(first).toBeGreaterThanOrEqual(2 * FRAMES_PER_SECOND);
    expect(unchanged).toEqual(frames.slice(first));
    expect(frames.length - first).toBeGreaterThanOrEqual(4 * FRAMES_PER_SECOND);
    const hidden = frames.filter((frame) => {
      return changedShare({ before, after }, frame, BOX) > 0.25;
    });
    expect(hidden).toEqual(frames.slice(FRAMES_PER_SECOND, 2 * FRAMES_PER_SECOND + 1));
    expect(entryOf(output)).toBe("avc1");
    expect(findBytes(source, ENCODER_MARK)).toBeGreaterThan(0);
    expect(findBytes(output, ENCODER_MARK)).toBe(-1);
    const [expected, times] = [await packetTimes(source), await packetTimes(output)];
    for (const kind of ["video", "audio"] as const) {
      expect(times[kind].length).toBe(expected[kind].length);
      const shifts = times[kind].map((seconds, packet) => seconds - (expected[kind][packet] ?? 0));
      expect(Math.max(...shifts) - Math.min(...shifts)).toBeLessThan(1e-3);
    }
  },
);

test.for(COPIED.slice(1, 2).map((format) => [format.property, format] as const))(
  "a film in which nothing is hidden is not encoded again: %s",
  async ([, format]) => {
    const { output, frames, unchanged } = await redactedFilm(format, [], await sourceOf(format));
    expect(unchanged).toEqual(frames);
    expect(findBytes(output, ENCODER_MARK)).toBe(-1);
  },
);

/** Where x264's slices of IDR pictures begin. */
function keySlices(movie: Uint8Array): number[] {
  return [...movie.keys()].filter(
    (at) => movie[at] === 0x65 && movie[at + 1] === 0x88 && movie[at - 4] === 0,
  );
}

test("a segment with a damaged picture is encoded again, though nothing is hidden in it", async () => {
  const [, format] = COPIED;
  if (format === undefined) throw new Error("There is no such source.");
  const source = Uint8Array.from(await sourceOf(format));
  const damagedAt = keySlices(source)[3] ?? 0;
  source.fill(0x5a, damagedAt + 400, damagedAt + 424);
  const { frames, unchanged } = await redactedFilm(format, [], source);
  const encoded = frames.filter((frame) => !unchanged.includes(frame));
  expect(encoded.length).toBeGreaterThan(2 * FRAMES_PER_SECOND);
  expect(unchanged.length).toBeGreaterThan(4 * FRAMES_PER_SECOND);
});
