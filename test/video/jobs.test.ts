import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { deleteObjects, outputKey } from "../../src/records/media/media.objects.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { sampleSize } from "../../src/work/video/sampling/frame-sizes.ts";
import { DETECTION_FLOOR } from "../../src/work/video/tracks/confidence.ts";
import { describeStatus } from "../../src/records/media-api/status-details.service.ts";
import { randomFrom } from "./compose/random.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { HeldQueue } from "../support/held-queue.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import {
  answerFrames,
  clipOf,
  deliver,
  inspectVideo,
  KEPT_WORK,
  queuedVideo,
  runToEnd,
  settle,
  type QueuedVideo,
} from "./support/video-jobs.ts";

/** A Worker has 128 MB for the engine and everything else. */
const MOST_ENGINE_BYTES = 110e6;

const COMPLETED = {
  status: "completed",
  failureCode: null,
  events: ["media.processed"],
  usage: { used: 10, reserved: 0 },
  tasks: 0,
  objects: ["detections.00000", "output", "source", "thumbnail"],
  work: KEPT_WORK,
};

beginQuietly();

async function newVideo(options: Parameters<typeof queuedVideo>[1] = {}): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  return await queuedVideo(accountId, options);
}

async function outputOf(video: QueuedVideo): Promise<Uint8Array> {
  const output = await env.MEDIA.get(outputKey(video));
  return new Uint8Array((await output?.arrayBuffer()) ?? new ArrayBuffer(0));
}

let undisturbed: Uint8Array | undefined;

/** The output of a run without faults. */
async function expectedOutput(): Promise<Uint8Array> {
  if (undisturbed !== undefined) return undisturbed;
  answerFrames();
  const video = await newVideo();
  await runToEnd(video);
  undisturbed = await outputOf(video);
  const hash = await env.DB.prepare("SELECT output_sha256 FROM media WHERE id = ?")
    .bind(video.mediaId)
    .first("output_sha256");
  expect(hash).toBe(toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", undisturbed))));
  return undisturbed;
}

test("a video goes through every step, and only its source, its output and what revisions are made from stay", async () => {
  const questions = answerFrames();
  const video = await newVideo();
  const deliveries = await runToEnd(video);
  expect(await inspectVideo(video)).toEqual(COMPLETED);
  // Plan, two segments twice, link, assemble.
  expect(deliveries).toBeGreaterThanOrEqual(8);
  const asked = { categories: ["qr_codes"], min_confidence: DETECTION_FLOOR, single_look: true };
  expect(questions.length).toBeGreaterThan(0);
  expect(questions).toEqual(questions.map(() => asked));
  expect((await outputOf(video)).length).toBeGreaterThan(1000);
});

test("its status details tell the step, and a progress that only grows", async () => {
  answerFrames();
  const video = await newVideo();
  const bindings = quietBindings();
  const database = openDatabase(env.DB, "primary");
  const seen: unknown[] = [];
  const look = async (): Promise<void> => {
    const { status, step, progress } = await describeStatus(database, video);
    seen.push([status, step, progress]);
  };
  await look();
  for (let delivery = 0; delivery < 7; delivery++) {
    await deliver(video.mediaId, bindings);
    await look();
  }
  expect(seen).toEqual([
    ["queued", null, 0],
    ["processing", "analyse", 0],
    ["processing", "analyse", 0.166],
    ["processing", "link", 0.333],
    ["processing", "render", 0.5],
    ["processing", "render", 0.666],
    ["processing", "assemble", 0.833],
    ["completed", null, 1],
  ]);
});

test("messages doubled and out of order change nothing", async () => {
  const expected = await expectedOutput();
  answerFrames();
  const video = await newVideo();
  await runToEnd(video, { isDoubled: true });
  expect(await inspectVideo(video)).toEqual(COMPLETED);
  expect(await outputOf(video)).toEqual(expected);
});

test("a detector that fails every third time only delays", async () => {
  const expected = await expectedOutput();
  const questions = answerFrames((call) => (call % 3 === 0 ? new Response("?", { status: 503 }) : undefined));
  const video = await newVideo();
  await runToEnd(video);
  expect(await inspectVideo(video)).toEqual(COMPLETED);
  expect(await outputOf(video)).toEqual(expected);
  expect(questions.length).toBeGreaterThan(2);
});

const KILLS = 20;
/** A task fails after five attempts. */
const MOST_KILLS_IN_A_ROW = 3;
/** About the most storage calls of a step. A kill after the end of a step has no effect. */
const LATEST_CALL = 40;

test.for([2026])(
  "a worker killed at 20 random moments ends the same, without an orphan (seed %i)",
  async (seed) => {
    const expected = await expectedOutput();
    const random = randomFrom(seed);
    answerFrames();
    const made = { kills: 0 };
    while (made.kills < KILLS) {
      const video = await newVideo();
      let killsInARow = 0;
      await runToEnd(video, {
        around: (_delivery, bindings) => {
          if (made.kills >= KILLS || killsInARow >= MOST_KILLS_IN_A_ROW) {
            killsInARow = 0;
            return bindings;
          }
          // From this storage call on, nothing of the delivery reaches storage.
          const from = 1 + Math.floor(random() * LATEST_CALL);
          const when = random() < 0.5 ? "before" : "after";
          return faultyBindings(
            { ...env, ...bindings },
            (call) => {
              if (call === from) {
                made.kills += 1;
                killsInARow += 1;
              }
              return call >= from ? new Error("The worker was killed.") : undefined;
            },
            when,
          ).bindings;
        },
      });
      await settle();
      expect(await inspectVideo(video)).toEqual(COMPLETED);
      expect(await outputOf(video)).toEqual(expected);
    }
    expect(made.kills).toBe(KILLS);
  },
);

test.for([1, 2, 4, 6])("deleted after delivery %i, nothing of it stays", async (after) => {
  answerFrames();
  const video = await newVideo();
  const queue = new HeldQueue();
  const bindings = { ...env, VIDEO_JOBS: queue.binding };
  for (let delivery = 0; delivery < after; delivery++) await deliver(video.mediaId, bindings);
  const database = openDatabase(env.DB, "primary");
  // A step that is running while the record is deleted notices it at the end.
  const running = deliver(video.mediaId, bindings);
  await deleteMedia(database, video, { nowMs: Date.now(), settledAtMs: Date.now(), requestId: "req_test" });
  await deleteObjects(env.MEDIA, video);
  await running;
  const left = await inspectVideo(video);
  expect(left).toMatchObject({ status: undefined, tasks: 0, events: ["media.source_deleted"] });
  expect([left.objects, left.work]).toEqual([[], []]);
});

test("a container that promised less than it holds is charged for all, or ends as quota_exceeded", async () => {
  answerFrames();
  const video = await newVideo({ quotaUnits: 1 });
  await runToEnd(video);
  expect(await inspectVideo(video)).toEqual(COMPLETED);

  const poor = await newVideo({ quotaUnits: 1 });
  await env.DB.prepare("UPDATE accounts SET video_minutes_per_period = 0 WHERE id = ?")
    .bind(poor.accountId)
    .run();
  await runToEnd(poor);
  expect(await inspectVideo(poor)).toMatchObject({
    status: "quota_exceeded",
    events: [],
    usage: { used: 0, reserved: 0 },
    objects: ["source"],
  });
});

test("a container that promised less than lasts too long fails once its frames are counted", async () => {
  answerFrames();
  const video = await newVideo();
  await runToEnd(video, { around: (_delivery, bindings) => ({ ...bindings, MAX_VIDEO_SECONDS: "5" }) });
  expect(await inspectVideo(video)).toMatchObject({
    status: "failed",
    failureCode: "duration_over_limit",
    usage: { used: 0, reserved: 0 },
    objects: ["source"],
  });
});

const FULL_HD = { widthPixels: 1920, heightPixels: 1080 };

/** Redacts a clip of 1920×1080. Resolves to the engine's memory after each step that reports it. */
async function fullHdMemory(video: QueuedVideo): Promise<number[]> {
  answerFrames(undefined, sampleSize({ width: FULL_HD.widthPixels, height: FULL_HD.heightPixels }));
  const lines = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await runToEnd(video);
  return lines.mock.calls.flatMap(([line]) =>
    Array.from(String(line).matchAll(/"engineMemoryBytes":(\d+)/g), ([, bytes]) => Number(bytes)),
  );
}

test("the engine's memory stays within its bounds at 1920×1080", async () => {
  const probed = { ...FULL_HD, durationSeconds: 1.2 };
  const video = await newVideo({ source: clipOf("fullHd"), quotaUnits: 10, probed });
  const memoryBytes = await fullHdMemory(video);
  expect(await inspectVideo(video)).toMatchObject({ status: "completed" });
  expect(memoryBytes).toHaveLength(2);
  expect(Math.max(...memoryBytes)).toBeLessThan(MOST_ENGINE_BYTES);
});

test("a video whose reference frames need more memory than a Worker has fails at once", async () => {
  const probed = { ...FULL_HD, durationSeconds: 1.4 };
  const video = await newVideo({ source: clipOf("manyReferences"), quotaUnits: 10, probed });
  const memoryBytes = await fullHdMemory(video);
  expect(await inspectVideo(video)).toMatchObject({
    status: "failed",
    failureCode: "engine_out_of_memory",
    events: ["media.failed"],
    tasks: 0,
    objects: ["source"],
  });
  expect(Math.max(0, ...memoryBytes)).toBeLessThan(MOST_ENGINE_BYTES);
});

test("a video of one frame is a video", async () => {
  answerFrames();
  const video = await newVideo({ source: clipOf("oneFrame"), quotaUnits: 1 });
  await runToEnd(video);
  expect(await inspectVideo(video)).toMatchObject({
    status: "completed",
    objects: ["detections.00000", "output", "source", "thumbnail"],
  });
});

test("a video cut off in its media fails for good, and leaves its source alone", async () => {
  answerFrames();
  const whole = clipOf("startsAtOnce");
  const video = await newVideo({ source: whole.slice(0, Math.floor(whole.length * 0.6)) });
  await runToEnd(video);
  expect(await inspectVideo(video)).toMatchObject({
    status: "failed",
    events: ["media.failed"],
    usage: { used: 0, reserved: 0 },
    tasks: 0,
    objects: ["source"],
  });
});
