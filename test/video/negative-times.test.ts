import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { NEGATIVE_TIMES } from "./formats/negative-times.ts";
import { packetTimes } from "./support/packet-times.ts";
import { redacted, sourceOf } from "./support/outcomes.ts";
import { changedShare, lumaOf } from "./support/revise-video.ts";
import { inspectVideo } from "./support/video-jobs.ts";

const FRAMES_PER_SECOND = 25;
const FRAMES = 75;
const FRAME_BYTES = 160 * 96;
const BOX = [0.25, 0.25, 0.3, 0.4] as const;
const REGION = { category: "documents" as const, box: BOX, startSeconds: 1, endSeconds: 2 };
const LEAST_HIDDEN_SHARE = 0.25;

beginQuietly();

test.for(NEGATIVE_TIMES.map((source) => [source.property, source] as const))(
  "what begins before 0 is shown as a whole, its sound beside it: %s",
  async ([, source]) => {
    const bytes = await sourceOf(source);
    const video = await redacted(source.container, bytes, { masking: { regions: [REGION] }, detections: [] });
    expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
    const stored = await env.MEDIA.get(outputKey(video));
    const output = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer(0));

    const [before, after] = [await lumaOf(bytes), await lumaOf(output)];
    expect([before.length / FRAME_BYTES, after.length / FRAME_BYTES]).toEqual([FRAMES, FRAMES]);
    const hidden = Array.from({ length: FRAMES }, (_, frame) => frame).filter(
      (frame) => changedShare({ before, after }, frame, BOX) > LEAST_HIDDEN_SHARE,
    );
    expect(hidden).toEqual(
      Array.from({ length: FRAMES_PER_SECOND + 1 }, (_, frame) => FRAMES_PER_SECOND + frame),
    );

    const [told, times] = [await packetTimes(bytes), await packetTimes(output)];
    const [first = NaN] = times.video;
    expect(first).toBeGreaterThanOrEqual(0);
    expect(first).toBeLessThan(0.1);
    expect(times.video.at(-1)).toBeCloseTo(first + (FRAMES - 1) / FRAMES_PER_SECOND, 2);
    // The last frame and the last sound have the same distance as before.
    expect((times.video.at(-1) ?? 0) - (times.audio.at(-1) ?? 0)).toBeCloseTo(
      (told.video.at(-1) ?? 0) - (told.audio.at(-1) ?? 0),
      1,
    );
    const row = await findMediaById(openDatabase(env.DB, "primary"), video.mediaId);
    expect(row?.durationSeconds).toBeCloseTo(3, 0);
    expect(row?.durationSeconds).toBeGreaterThan(2.9);
  },
);
