import { env } from "cloudflare:workers";
import { BufferSource, EncodedPacketSink, Input, MP4, QTFF, WEBM, type EncodedPacket } from "mediabunny";
import { describe, expect, test } from "vitest";
import type { MuteRange } from "../../src/records/masking/media-sound.ts";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { randomFrom } from "./compose/random.ts";
import { decibelsIn, samplesOf, SAMPLES_PER_SECOND } from "./support/loudness.ts";
import { killsAtRandom } from "./support/random-kills.ts";
import { detectionsOf } from "./support/revise-video.ts";
import { answerFrames, clipOf, queuedVideo, runToEnd, type QueuedVideo } from "./support/video-jobs.ts";
import type { Clips } from "./clips.ts";

beginQuietly();

type Format = "mp4" | "quicktime" | "webm";
type Bytes = Uint8Array<ArrayBuffer>;

async function packetsIn(bytes: Bytes, track = 0): Promise<EncodedPacket[]> {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source: new BufferSource(bytes) });
  const packets: EncodedPacket[] = [];
  const found = (await input.getAudioTracks())[track];
  if (found !== undefined) for await (const one of new EncodedPacketSink(found).packets()) packets.push(one);
  return packets;
}

async function outputOf(video: QueuedVideo): Promise<Bytes> {
  const output = await env.MEDIA.get(outputKey(video));
  if (output === null) throw new Error("There is no output.");
  return new Uint8Array(await output.arrayBuffer());
}

async function mutedVideo(
  clip: keyof Clips,
  muteRanges: readonly MuteRange[],
  format: Format = "mp4",
): Promise<QueuedVideo> {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, { source: clipOf(clip), format, options: { muteRanges } });
  await runToEnd(video);
  return video;
}

const SILENCE: readonly MuteRange[] = [
  { startSeconds: 1.5, endSeconds: 2.75, sound: "silence" },
  { startSeconds: 4, endSeconds: 4.5, sound: "silence" },
];
const TONES = SILENCE.map((range): MuteRange => ({ ...range, sound: "tone" }));

/** Each codec, its container, and how many packets before a range may hold a part of it. */
const CODECS: readonly {
  clip: keyof Clips;
  format: Format;
  before: number;
  after?: number;
  hasTone: boolean;
}[] = [
  { clip: "twoSegments", format: "mp4", before: 2, hasTone: true },
  // The data of an MP3 frame may begin in the packets before.
  { clip: "mp3", format: "mp4", before: 5, hasTone: true },
  { clip: "opus", format: "webm", before: 2, hasTone: true },
  { clip: "vorbis", format: "webm", before: 4, after: 3, hasTone: false },
  { clip: "ac3", format: "mp4", before: 2, hasTone: true },
];

/** Some containers round times to milliseconds. */
const ROUNDED_SECONDS = 0.001;

/** Whether a packet may hold a part of a range: it is in the range, or among this many packets before or after it. */
function isNear(packets: readonly EncodedPacket[], index: number, before: number, after = 2): boolean {
  const [from, to] = [
    packets[index - after]?.timestamp ?? -1,
    packets[index + before]?.timestamp ?? Infinity,
  ];
  return SILENCE.some(
    ({ startSeconds, endSeconds }) =>
      to > startSeconds - ROUNDED_SECONDS && from < endSeconds + ROUNDED_SECONDS,
  );
}

function areEqual(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return a.length === b?.length && a.every((byte, index) => byte === b[index]);
}

/** The 16-bit samples of uncompressed packets. */
function samplesIn(packets: readonly EncodedPacket[]): Int16Array {
  const bytes = concatBytes(packets.map(({ data }) => data));
  return new Int16Array(bytes.buffer, 0, bytes.length / 2);
}

describe.for(CODECS)("$clip", ({ clip, format, before, after, hasTone }) => {
  test("packets in range are silent, and all others are equal byte by byte at their times", async () => {
    const source = clipOf(clip);
    const output = await outputOf(await mutedVideo(clip, SILENCE, format));
    const [old, now] = [await packetsIn(source), await packetsIn(output)];
    expect(now.map(({ timestamp }) => timestamp)).toEqual(old.map(({ timestamp }) => timestamp));
    const changed = [...old.keys()].filter(
      (index) => !areEqual(old[index]?.data ?? fail(), now[index]?.data),
    );
    expect(changed.filter((index) => !isNear(old, index, before, after))).toEqual([]);
    expect(changed.length).toBeGreaterThan(25);
    for (const { startSeconds, endSeconds } of SILENCE)
      expect(await decibelsIn(output, startSeconds, endSeconds)).toBeLessThan(-60);
    // Beyond the neighbors of a range, the sound is unchanged.
    const [heardBefore, heardNow] = [await samplesOf(source), await samplesOf(output)];
    expect(heardNow.length).toBe(heardBefore.length);
    for (const [from, to] of [
      [0.2, 1.3],
      [3, 3.8],
      [4.8, 5.8],
    ] as const) {
      let largest = 0;
      for (let at = from * SAMPLES_PER_SECOND; at < to * SAMPLES_PER_SECOND; at++)
        largest = Math.max(largest, Math.abs((heardBefore[at] ?? 0) - (heardNow[at] ?? 0)));
      expect(largest).toBeLessThan(clip === "opus" ? 1500 : 40);
    }
  });

  test("a tone replaces the sound in the range, if the codec allows it", async () => {
    const video = await mutedVideo(clip, TONES, format);
    const output = await outputOf(video);
    for (const { startSeconds, endSeconds } of TONES) {
      const loudest = await decibelsIn(output, startSeconds + 0.1, endSeconds - 0.1);
      if (hasTone) expect(loudest).toBeGreaterThan(-25);
      else expect(loudest).toBeLessThan(-60);
      expect(loudest).toBeLessThan(-12);
    }
    const { sound } = await detectionsOf(video);
    expect(sound?.map((one) => one.sound)).toEqual(TONES.map(() => (hasTone ? "tone" : "silence")));
  });
});

test("uncompressed samples in range are zero, and all others are equal", async () => {
  const source = clipOf("pcm");
  const output = await outputOf(await mutedVideo("pcm", SILENCE, "quicktime"));
  const [old, now] = [await packetsIn(source), await packetsIn(output)];
  const [before, after] = [samplesIn(old), samplesIn(now)];
  expect(after.length).toBe(before.length);
  const wrong = [...after.keys()].filter((at) => {
    const seconds = at / 44_100;
    const isMuted = SILENCE.some((range) => seconds >= range.startSeconds && seconds < range.endSeconds);
    const isBorder = SILENCE.some(
      (range) => seconds > range.startSeconds - 0.002 && seconds < range.endSeconds + 0.002,
    );
    return isMuted ? after[at] !== 0 : !isBorder && after[at] !== before[at];
  });
  expect(wrong).toEqual([]);
});

test("a track that the engine cannot encode becomes silent as a whole, and the detections say so", async () => {
  const video = await mutedVideo("flac", [SILENCE[1] ?? fail()]);
  const output = await outputOf(video);
  expect(await decibelsIn(output, 0, 5.9)).toBeLessThan(-60);
  const input = new Input({ formats: [MP4], source: new BufferSource(output) });
  const [track] = await input.getAudioTracks();
  expect(await track?.getCodec()).toBe("aac");
  expect(await track?.computeDuration()).toBeCloseTo(6, 1);
  expect((await detectionsOf(video)).sound).toEqual([
    { start_seconds: 0, end_seconds: 6, kind: "whole_track", sound: "silence", redacted: true },
    { start_seconds: 4, end_seconds: 4.5, kind: "requested", sound: "silence", redacted: true },
  ]);
});

function fail(): never {
  throw new Error("There is no such range.");
}

test("all tracks are muted", async () => {
  const output = await outputOf(await mutedVideo("twoTracks", SILENCE));
  for (const track of [0, 1])
    for (const { startSeconds, endSeconds } of SILENCE)
      expect(await decibelsIn(output, startSeconds, endSeconds, track)).toBeLessThan(-60);
});

test("random ranges are silent, whatever they are", async () => {
  const random = randomFrom(7);
  for (let round = 0; round < 6; round++) {
    const ranges = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index): MuteRange => {
      const startSeconds = index + random() * 0.5;
      return { startSeconds, endSeconds: startSeconds + random() * 0.45 + 0.001, sound: "silence" };
    });
    const [clip, format] = (
      [
        ["twoSegments", "mp4"],
        ["mp3", "mp4"],
        ["vorbis", "webm"],
      ] as const
    )[round % 3] ?? ["twoSegments", "mp4"];
    const output = await outputOf(await mutedVideo(clip, ranges, format));
    for (const { startSeconds, endSeconds } of ranges)
      expect(await decibelsIn(output, startSeconds, endSeconds)).toBeLessThan(-60);
  }
});

test("a revision keeps the muted ranges, replaces them, or lifts them", async () => {
  const video = await mutedVideo("twoSegments", [SILENCE[0] ?? fail()]);
  const loudness = async (body: object): Promise<boolean[]> => {
    const revision = await revise(video, body);
    await runToEnd(revision);
    const output = await outputOf(revision);
    return await Promise.all(
      SILENCE.map(async ({ startSeconds, endSeconds }) => {
        return (await decibelsIn(output, startSeconds, endSeconds)) < -60;
      }),
    );
  };
  expect(await loudness({})).toEqual([true, false]);
  expect(await loudness({ mute_ranges: [{ start_seconds: 4, end_seconds: 4.5 }] })).toEqual([false, true]);
  expect(await loudness({ mute_ranges: [] })).toEqual([false, false]);
});

test("a video whose steps are killed ends with the same muted file", async () => {
  const whole = await outputOf(await mutedVideo("twoSegments", SILENCE));
  for (let seed = 1; seed <= 3; seed++) {
    answerFrames();
    const { accountId } = await createAccount();
    const video = await queuedVideo(accountId, { options: { muteRanges: SILENCE } });
    await runToEnd(video, { around: killsAtRandom({ made: 0, most: 20 }, randomFrom(seed)) });
    const row = await env.DB.prepare("SELECT status FROM media WHERE id = ?").bind(video.mediaId).first();
    expect(row).toEqual({ status: "completed" });
    expect(areEqual(whole, await outputOf(video))).toBe(true);
  }
});
