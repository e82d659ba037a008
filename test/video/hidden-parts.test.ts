import { env } from "cloudflare:workers";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input, type InputTrack } from "mediabunny";
import { beforeAll, expect, test } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { quotaUnitsOf } from "../../src/records/usage/quota-units.ts";
import { HIDDEN_SOURCES } from "./formats/hidden-sources.ts";
import { redacted, sourceOf } from "./support/outcomes.ts";
import { changedShare, detectionsOf, lumaOf } from "./support/revise-video.ts";
import { inspectVideo } from "./support/video-jobs.ts";

const FRAMES_PER_SECOND = 25;
const FRAME_BYTES = 160 * 96;
const BOX = [0.25, 0.25, 0.3, 0.4] as const;
const OUTSIDE = [0.7, 0.1, 0.25, 0.8] as const;
const REGION = { category: "documents" as const, box: BOX, startSeconds: 1, endSeconds: 2 };
const LEAST_HIDDEN_SHARE = 0.25;
const MOST_OPEN_SHARE = 0.02;
/** Sound is kept in whole packets, so the first one begins before the heard part and the last one ends after it. */
const PACKET_SECONDS = 1024 / 44_100;

const BYTES_PER_SECOND = 2 * 44_100;

interface TrackPackets {
  readonly bytes: readonly Uint8Array[];
  /** The times of all packets in a player that supports edit lists. */
  readonly seconds: readonly number[];
}

async function packetsOf(track: InputTrack): Promise<TrackPackets> {
  const bytes: Uint8Array[] = [];
  const seconds: number[] = [];
  for await (const { data, timestamp } of new EncodedPacketSink(track).packets()) {
    bytes.push(data.slice());
    seconds.push(timestamp);
  }
  return { bytes, seconds };
}

async function readTracks(
  file: Uint8Array<ArrayBuffer>,
): Promise<{ video: TrackPackets; audio: TrackPackets }> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) });
  const [video] = await input.getVideoTracks();
  const [audio] = await input.getAudioTracks();
  if (video === undefined || audio === undefined) throw new Error("A track is missing.");
  return { video: await packetsOf(video), audio: await packetsOf(audio) };
}

/** Whether a file holds the first bytes of a packet. */
function holds(file: Uint8Array, packet: Uint8Array): boolean {
  const wanted = packet.subarray(0, 24);
  for (let at = file.indexOf(wanted[0] ?? 0); at >= 0; at = file.indexOf(wanted[0] ?? 0, at + 1)) {
    if (wanted.every((byte, index) => file[at + index] === byte)) return true;
  }
  return false;
}

/** The luma of the video from which all sources are cut. */
let film: Uint8Array;
const [WHOLE, ...SOURCES] = HIDDEN_SOURCES;

beforeAll(async () => {
  if (WHOLE === undefined) throw new Error("There is no film.");
  film = await lumaOf(await sourceOf(WHOLE));
});

test.for(SOURCES.map((source) => [source.property, source] as const))(
  "times count from the first frame shown, and what is hidden is not delivered: %s",
  async ([, source]) => {
    const bytes = await sourceOf(source);
    const video = await redacted(source.container, bytes, { masking: { regions: [REGION] }, detections: [] });
    expect(await inspectVideo(video)).toMatchObject({ status: "completed" });
    const output = new Uint8Array(
      (await (await env.MEDIA.get(outputKey(video)))?.arrayBuffer()) ?? new ArrayBuffer(0),
    );
    const shownFrames = source.shown.flatMap(([from, to]) =>
      Array.from({ length: FRAMES_PER_SECOND * (to - from) }, (_, frame) => FRAMES_PER_SECOND * from + frame),
    );
    const shownSeconds = shownFrames.length / FRAMES_PER_SECOND;

    const after = await lumaOf(output);
    expect(after.length / FRAME_BYTES).toBe(shownFrames.length);
    const compared = shownFrames.map((frame, index) => {
      const before = film.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES);
      const delivered = after.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES);
      const pair = { before, after: delivered };
      return { hidden: changedShare(pair, 0, BOX), outside: changedShare(pair, 0, OUTSIDE) };
    });
    const hidden = compared.flatMap((frame, index) => (frame.hidden > LEAST_HIDDEN_SHARE ? [index] : []));
    expect(hidden).toEqual(
      Array.from({ length: FRAMES_PER_SECOND + 1 }, (_, frame) => FRAMES_PER_SECOND + frame),
    );
    expect(Math.max(...compared.map(({ outside }) => outside))).toBeLessThan(MOST_OPEN_SHARE);

    const delivered = await readTracks(output);
    expect(delivered.video.seconds).toEqual(
      shownFrames.map((_frame, index) => expect.closeTo(index / FRAMES_PER_SECOND, 5) as number),
    );
    const original = await readTracks(bytes);
    const offset = source.shown[0]?.[0] ?? 0;
    const hiddenSound = original.audio.bytes.filter((_packet, index) => {
      const start = (original.audio.seconds[index] ?? 0) + offset;
      const isHeard = source.shown.some(([from, to]) => start + PACKET_SECONDS > from && start < to);
      return source.audio === "AAC" && !isHeard;
    });
    expect(hiddenSound.filter((packet) => holds(output, packet))).toEqual([]);
    expect(delivered.audio.seconds[0]).toBeGreaterThan(-PACKET_SECONDS);
    const soundBytes = delivered.audio.bytes.reduce((sum, packet) => sum + packet.length, 0);
    if (source.audio === "PCM") expect(soundBytes / BYTES_PER_SECOND).toBeCloseTo(shownSeconds, 1);
    else {
      const [first] = delivered.audio.bytes;
      const found = original.audio.bytes.findIndex((packet) =>
        first?.every((byte, at) => packet[at] === byte),
      );
      expect(delivered.audio.seconds[0]).toBeCloseTo(original.audio.seconds[found] ?? NaN, 4);
    }

    const row = await findMediaById(openDatabase(env.DB, "primary"), video.mediaId);
    expect(row?.durationSeconds).toBeCloseTo(shownSeconds, 1);
    expect(row?.quotaUnits).toBe(quotaUnitsOf(shownSeconds));
    const { detections } = await detectionsOf(video);
    expect(detections).toMatchObject([{ start_seconds: 1, end_seconds: 2 }]);
  },
);
