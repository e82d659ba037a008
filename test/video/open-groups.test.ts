import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { OPEN_GROUPS } from "./formats/open-groups.ts";
import { redacted, sourceOf } from "./support/outcomes.ts";
import { packetTimes, type Times } from "./support/packet-times.ts";
import { changedShare, lumaOf } from "./support/revise-video.ts";
import { inspectVideo } from "./support/video-jobs.ts";

const FRAMES_PER_SECOND = 25;
const FRAMES = 250;
const FRAME_BYTES = 160 * 96;
const BOX = [0.25, 0.25, 0.3, 0.4] as const;
const OUTSIDE = [0.7, 0.1, 0.25, 0.8] as const;
const REGION = { category: "documents" as const, box: BOX, startSeconds: 1, endSeconds: 2 };
const LEAST_HIDDEN_SHARE = 0.25;
const MOST_OPEN_SHARE = 0.02;

beginQuietly();

/** By how much the last frame is later than the last sound. Dropped or hidden pictures come first, so they do not affect it. */
function leadSeconds({ video, audio }: Times): number {
  return (video.at(-1) ?? 0) - (audio.at(-1) ?? 0);
}

test.for(OPEN_GROUPS.map((source) => [source.property, source] as const))(
  "pictures that a cut has left without what they refer to are dropped, all others stay in place: %s",
  async ([, source], { skip }) => {
    skip(
      source.isForInstalled === true && !inject("encodesHevc"),
      "No ffmpeg is installed that encodes H.265.",
    );
    const whole = OPEN_GROUPS.find(({ video }) => video === source.video);
    if (whole === undefined) throw new Error("There is no film.");
    const film = await lumaOf(await sourceOf(whole));
    const bytes = await sourceOf(source);
    const video = await redacted(source.container, bytes, { masking: { regions: [REGION] }, detections: [] });
    expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
    const stored = await env.MEDIA.get(outputKey(video));
    const output = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer(0));

    const after = await lumaOf(output);
    expect(after.length / FRAME_BYTES).toBe(FRAMES - source.firstFrame);
    const compared = Array.from({ length: FRAMES - source.firstFrame }, (_, frame) => {
      const start = (source.firstFrame + frame) * FRAME_BYTES;
      const before = film.subarray(start, start + FRAME_BYTES);
      const pair = { before, after: after.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES) };
      return { hidden: changedShare(pair, 0, BOX), outside: changedShare(pair, 0, OUTSIDE) };
    });
    const hidden = compared.flatMap((frame, index) => (frame.hidden > LEAST_HIDDEN_SHARE ? [index] : []));
    expect(hidden).toEqual(
      Array.from({ length: FRAMES_PER_SECOND + 1 }, (_, frame) => FRAMES_PER_SECOND + frame),
    );
    expect(Math.max(...compared.map(({ outside }) => outside))).toBeLessThan(MOST_OPEN_SHARE);

    const [told, times] = [await packetTimes(bytes), await packetTimes(output)];
    expect(leadSeconds(times)).toBeCloseTo(leadSeconds(told), 2);
    expect((times.video.at(-1) ?? 0) - (times.video[0] ?? 0)).toBeCloseTo(
      (FRAMES - source.firstFrame - 1) / FRAMES_PER_SECOND,
      2,
    );
  },
);
