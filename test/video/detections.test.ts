import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { deleteObjects } from "../../src/records/media/media.objects.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { detectionsSchema } from "../../src/records/media-api/detections.schemas.ts";
import type { DetectionsFilter } from "../../src/records/media-api/detections-filter.ts";
import { describeDetections } from "../../src/records/media-api/detections.service.ts";
import { detectionsStream } from "../../src/records/media-api/detections-stream.ts";
import { createAccount } from "../support/accounts.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { answerFrames, inspectVideo, queuedVideo, runToEnd, type QueuedVideo } from "./support/video-jobs.ts";

beginQuietly();

/** The service's answer, read as a stream. */
async function detectionsOf(video: QueuedVideo, isListed?: DetectionsFilter) {
  const answer = await describeDetections(openDatabase(env.DB, "primary"), video, isListed);
  const stream = detectionsStream(env.MEDIA, { ...video, isListed }, answer);
  return detectionsSchema.parse(await new Response(stream).json());
}

test("a video's tracks are listed with when and where they are, and outlive its files", async () => {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, {
    options: { regions: [{ box: [0.5, 0.5, 0.25, 0.25], startSeconds: 1, endSeconds: 2 }] },
  });
  await runToEnd(video);
  const found = await detectionsOf(video);
  expect(found).toMatchObject({
    media_id: video.mediaId,
    width: 160,
    height: 96,
    revision_of: null,
    truncated: false,
  });
  expect(found.duration_seconds).toBeCloseTo(6, 1);
  const tail = video.mediaId.slice(-12);
  expect(
    found.detections.map(({ id, category, origin, redacted }) => [id, category, origin, redacted]),
  ).toEqual([
    [`det_${tail}_1`, "qr_codes", "detector", true],
    [`reg_${tail}_1`, null, "request", true],
  ]);
  const [code, region] = found.detections;
  expect(code?.confidence).toBeCloseTo(0.9, 5);
  expect(code?.start_seconds).toBe(0);
  expect(code?.end_seconds).toBeGreaterThan(5.8);
  for (const { box } of code?.keyframes ?? []) {
    expect(box.x).toBeLessThanOrEqual(0.25);
    expect(box.x + box.width).toBeGreaterThanOrEqual(0.55);
  }
  expect(code?.keyframes?.length).toBeLessThan(6);
  expect(region?.start_seconds).toBeCloseTo(1, 1);
  expect(region?.end_seconds).toBeCloseTo(2, 1);
  expect(region?.box).toEqual({ x: 0.5, y: 0.5, width: 0.25, height: 0.25 });
  // Filtered, they are the same ones.
  expect((await detectionsOf(video, ({ category }) => category === "qr_codes")).detections).toEqual([code]);
  expect((await detectionsOf(video, ({ redacted }) => redacted)).detections).toEqual([code, region]);
  expect((await detectionsOf(video, ({ redacted }) => !redacted)).detections).toEqual([]);
  // The answer stays the same, even after the source and the output are deleted.
  vi.setSystemTime(Date.now() + 40 * 24 * 3_600_000);
  await sweep(quietBindings());
  expect((await inspectVideo(video)).objects).toEqual(["detections.00000"]);
  expect((await detectionsOf(video)).detections).toEqual(found.detections);
  await deleteObjects(env.MEDIA, video);
  expect((await inspectVideo(video)).objects).toEqual([]);
});

/** A stored track with twenty keyframes. */
function storedTrack(index: number): string {
  return JSON.stringify({
    id: `det_${index}`,
    category: "heads",
    confidence: 0.5,
    origin: "detector",
    redacted: true,
    box: { x: 0, y: 0, width: 1, height: 1 },
    start_seconds: 0,
    end_seconds: 1,
    keyframes: Array.from({ length: 20 }, (_, key) => ({
      time_seconds: key,
      box: { x: 0.12345, y: 0.12345, width: 0.5, height: 0.5 },
    })),
  });
}

test("two thousand tracks answer in pieces, quickly", async () => {
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId);
  const text = Array.from({ length: 2_000 }, (_, index) => storedTrack(index)).join(",");
  const half = Math.floor(text.length / 2);
  await env.MEDIA.put(`${accountId}/${video.mediaId}/detections.00000`, text.slice(0, half));
  await env.MEDIA.put(`${accountId}/${video.mediaId}/detections.00001`, text.slice(half));
  await env.DB.prepare("UPDATE media SET status = 'completed' WHERE id = ?").bind(video.mediaId).run();
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, '[]', 1, 0)",
  )
    .bind(video.mediaId, accountId)
    .run();
  vi.useRealTimers();

  const answer = await describeDetections(openDatabase(env.DB, "primary"), video);
  const body = await new Response(detectionsStream(env.MEDIA, video, answer)).text();

  const found = detectionsSchema.parse(JSON.parse(body));
  expect(found.detections).toHaveLength(2_000);
});
