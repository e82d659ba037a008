import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { reconcile } from "../../src/work/maintenance/storage-reconciliation.service.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { outputKey, sourceKey } from "../../src/records/media/media.objects.ts";
import { removeMedia } from "../../src/records/media/media.service.ts";
import { DAY_MS, HOUR_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { sha256Hex } from "../../src/ground/platform/ids.ts";
import { followInVideo } from "../../src/intake/revisions/follow.service.ts";
import { shownPartOf } from "../../src/intake/revisions/shown-part.service.ts";
import { writeGif } from "../redaction-node/support/write-gif.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { retry, revise } from "../support/revise.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { randomFrom } from "./compose/random.ts";
import { detectionsOf } from "./support/revise-video.ts";
import { killsAtRandom } from "./support/random-kills.ts";
import {
  KEPT_WORK,
  answerFrames,
  inspectVideo,
  queuedVideo,
  runToEnd,
  settle,
  type QueuedVideo,
} from "./support/video-jobs.ts";

const OUTPUT = ["detections.00000", "output", "thumbnail"];

beginQuietly();

const database = openDatabase(env.DB, "primary");

/** A video that failed as if its job could not reach a part of the service. */
async function failedVideo(upload: Parameters<typeof queuedVideo>[1] = {}): Promise<QueuedVideo> {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, upload);
  await failNow(video);
  return video;
}

async function failNow({ mediaId }: QueuedVideo): Promise<void> {
  await env.DB.prepare(
    `UPDATE media SET status = 'failed', failure_code = 'retries_spent', failed_at = ?2,
       source_expires_at = CASE WHEN source_deleted_at IS NULL THEN ?3 END WHERE id = ?1`,
  )
    .bind(mediaId, Date.now(), Date.now() + DAY_MS)
    .run();
}

async function retried(video: QueuedVideo): Promise<QueuedVideo> {
  const again = await retry(video);
  await runToEnd(again);
  return again;
}

async function remove({ accountId, mediaId }: QueuedVideo): Promise<void> {
  const deed = {
    accountId,
    actor: { kind: "user", id: "usr_a" },
    requestId: "req_test",
    nowMs: Date.now(),
  } as const;
  await removeMedia(quietBindings(), mediaId, deed);
}

/** The hash of an output, because printing the difference of whole files takes minutes. */
async function outputOf(video: QueuedVideo): Promise<string> {
  const output = await env.MEDIA.get(outputKey(video));
  if (output === null) throw new Error("There is no output.");
  return await sha256Hex(await output.text());
}

test("a video whose detector did not answer is retried from its source, which stays where it is", async () => {
  const { accountId } = await createAccount();
  answerFrames(() => new Response(null, { status: 500 }));
  const video = await queuedVideo(accountId);
  await runToEnd(video);
  await settle();
  expect(await inspectVideo(video)).toMatchObject({
    status: "failed",
    failureCode: "retries_spent",
    objects: ["source"],
    work: [],
  });
  answerFrames();
  const again = await retried(video);
  await settle();
  expect(await inspectVideo(again)).toEqual({
    status: "completed",
    failureCode: null,
    events: ["media.processed"],
    usage: { used: 10, reserved: 0 },
    objects: OUTPUT,
    work: KEPT_WORK,
    tasks: 0,
  });
  expect(await inspectVideo(video)).toMatchObject({ objects: ["source"], work: [] });
  vi.setSystemTime(Date.now() + 2 * HOUR_MS);
  await reconcile(env, database);
  const { results } = await env.DB.prepare("SELECT object_key FROM reconciliation_findings").all();
  expect(results).toEqual([]);
});

describe("what a retry has analyzed", () => {
  test("is what its revisions go by, and is shown in the editor", async () => {
    const video = await failedVideo();
    const again = await retried(video);
    const revision = await revise(again, { redact: "none" });
    await runToEnd(revision);
    expect(await outputOf(revision)).not.toEqual(await outputOf(again));
    const { detections, revision_of: first } = await detectionsOf(revision);
    expect(first).toBe(video.mediaId);
    expect(detections.map(({ id }) => id)).toEqual(
      (await detectionsOf(again)).detections.map(({ id }) => id),
    );
    expect(await shownPartOf(env, again)).toMatchObject({ width: 1, height: 1 });
    const box = { x: 0.25, y: 0.25, width: 0.3, height: 0.4 };
    const followed = await followInVideo(env, revision, { timeSeconds: 1, box });
    expect(followed.keyframes.length).toBeGreaterThan(0);
    // A failed revision of it is retried as a revision.
    const failed = await revise(again, { redact: "none" });
    await failNow(failed);
    const third = await retried(failed);
    expect(await outputOf(third)).toEqual(await outputOf(revision));
    expect((await inspectVideo(third)).usage).toEqual({ used: 10, reserved: 0 });
  });

  test("is deleted when the source expires, and not while a revision of it waits", async () => {
    const video = await failedVideo({ options: { isDetectOnly: true } });
    vi.setSystemTime(Date.now() + DAY_MS - HOUR_MS);
    const again = await retried(video);
    const revision = await revise(again, {});
    vi.setSystemTime(Date.now() + 2 * HOUR_MS);
    await sweep(quietBindings());
    expect((await inspectVideo(again)).work).toEqual(KEPT_WORK);
    await runToEnd(revision);
    await sweep(quietBindings());
    expect(await inspectVideo(again)).toMatchObject({
      objects: ["detections.00000"],
      work: [],
      events: ["media.processed"],
    });
    expect(await inspectVideo(video)).toMatchObject({
      objects: [],
      events: ["media.source_deleted"],
    });
    await expect(revise(again, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
  });

  test("is deleted at once with the media that holds the source, and unfinished versions fail", async () => {
    const video = await failedVideo({ options: { isDetectOnly: true } });
    const again = await retried(video);
    const revision = await revise(again, {});
    const waiting = await retry(video);
    await remove(video);
    expect(await inspectVideo(again)).toMatchObject({
      status: "completed",
      objects: ["detections.00000"],
      work: [],
    });
    await runToEnd(revision);
    await runToEnd(waiting);
    await settle();
    for (const version of [revision, waiting])
      expect(await inspectVideo(version)).toMatchObject({
        status: "failed",
        failureCode: "source_missing",
        events: ["media.failed"],
        objects: [],
        work: [],
      });
    expect((await inspectVideo(again)).status).toBe("completed");
  });

  test("is gone with a retry that is deleted, and its unfinished revisions fail", async () => {
    const video = await failedVideo({ options: { isDetectOnly: true } });
    const again = await retried(video);
    const revision = await revise(again, {});
    await remove(again);
    await runToEnd(revision);
    expect(await inspectVideo(revision)).toMatchObject({ status: "failed", failureCode: "source_missing" });
    await expect(retry(revision)).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    expect((await inspectVideo(await retried(video))).status).toBe("completed");
  });
});

function picture(color: number) {
  return {
    rows: Array.from({ length: 96 }, () => Array<number>(160).fill(color)),
    delay: 50,
  };
}

test("an animation that was never converted is converted by its retry, in its place", async () => {
  const source = writeGif([picture(0), picture(1)], {
    width: 160,
    height: 96,
    palette: [
      [0, 0, 0],
      [255, 255, 255],
    ],
  });
  const probed = { widthPixels: 160, heightPixels: 96, durationSeconds: 1 };
  const video = await failedVideo({ source, format: "webm", sourceFormat: "gif", probed });
  const again = await retried(video);
  expect(await inspectVideo(again)).toMatchObject({ status: "completed", objects: OUTPUT });
  const stored = await (await env.MEDIA.get(sourceKey(video)))?.bytes();
  expect([...(stored?.subarray(0, 4) ?? [])]).toEqual([0x1a, 0x45, 0xdf, 0xa3]);
});

test.for([1, 2])(
  "seed %i: workers killed at any call of storage leave a retry that is completed in the end",
  async (seed) => {
    const video = await failedVideo();
    const expected = await outputOf(await retried(video));
    const random = randomFrom(seed);
    const kills = { made: 0, most: 12 };
    while (kills.made < kills.most) {
      const again = await retry(video);
      await runToEnd(again, { isDoubled: kills.made % 2 === 1, around: killsAtRandom(kills, random) });
      await settle();
      expect(await inspectVideo(again)).toMatchObject({
        status: "completed",
        events: ["media.processed"],
        objects: OUTPUT,
        work: KEPT_WORK,
        tasks: 0,
      });
      expect(await outputOf(again)).toEqual(expected);
    }
    expect(await inspectVideo(video)).toMatchObject({ objects: ["source"], work: [] });
  },
);
