import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { deleteObjects, outputKey } from "../../src/records/media/media.objects.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { describeStatus } from "../../src/records/media-api/status-details.service.ts";
import { createAccount } from "../support/accounts.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { randomFrom } from "./compose/random.ts";
import { FRAMES, changedShare, detectionsOf, lumaOf, movingBox, outputLuma } from "./support/revise-video.ts";
import { killsAtRandom } from "./support/random-kills.ts";
import {
  BOX,
  KEPT_WORK,
  answerFrames,
  clipOf,
  deliver,
  inspectVideo,
  queuedVideo,
  runToEnd,
  settle,
  type QueuedVideo,
} from "./support/video-jobs.ts";

/** Boxes inside the code that is always visible, and inside the detection that is too faint. */
const CODE = [0.3, 0.3, 0.2, 0.3] as const;
const FAINT = [0.72, 0.1, 0.2, 0.2] as const;
const SEEN = [BOX, { category: "qr_codes", confidence: 0.16, box: [0.7, 0.05, 0.25, 0.3] }];
const MOVING = movingBox([0.02, 0.75, 0.2, 0.2], [0.76, 0.75, 0.2, 0.2]);
/** Parts of the clip have flat colors, which a mask of the same tone does not change. */
const LEAST_HIDDEN_SHARE = 0.1;
const REGION = { category: "documents", keyframes: MOVING.keyframes };

let before: Uint8Array;

beforeAll(async () => {
  before = await lumaOf(clipOf("twoSegments"));
});

beginQuietly();

/** A completed video with a detected code and a candidate. */
async function completedVideo(
  options: NonNullable<Parameters<typeof queuedVideo>[1]>["options"] = {},
): Promise<QueuedVideo & { questions: readonly unknown[] }> {
  const questions = answerFrames(undefined, undefined, SEEN);
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, { options });
  await runToEnd(video);
  return { ...video, questions };
}

async function revised(of: QueuedVideo, body: object): Promise<QueuedVideo> {
  const revision = await revise(of, body);
  await runToEnd(revision);
  return revision;
}

async function idsOf(video: QueuedVideo): Promise<readonly [code: string, faint: string]> {
  const [code, faint] = (await detectionsOf(video)).detections;
  return [code?.id ?? "", faint?.id ?? ""];
}

/** Which of the places are hidden in every frame. */
async function hiddenIn(video: QueuedVideo): Promise<{ code: boolean; faint: boolean; region: boolean }> {
  const after = await outputLuma(video);
  expect(after.length).toBe(before.length);
  const isHidden = (boxAt: (frame: number) => typeof CODE | Parameters<typeof changedShare>[2]): boolean => {
    const shares = Array.from({ length: FRAMES }, (_, frame) =>
      changedShare({ before, after }, frame, boxAt(frame)),
    );
    const hidden = shares.filter((share) => share > LEAST_HIDDEN_SHARE).length;
    const open = shares.filter((share) => share < 0.02).length;
    if (hidden !== FRAMES && open !== FRAMES)
      throw new Error(`Hidden in ${hidden} frames and open in ${open} of ${FRAMES}.`);
    return hidden === FRAMES;
  };
  return {
    code: isHidden(() => CODE),
    faint: isHidden(() => FAINT),
    region: isHidden((frame) => MOVING.boxAt(frame)),
  };
}

describe("a video's revision hides the selected detections in every frame, and nothing else", () => {
  test.for<{
    name: string;
    order: (ids: readonly [code: string, faint: string]) => object;
    expected: { code: boolean; faint: boolean; region: boolean };
  }>([
    { name: "all", order: () => ({}), expected: { code: true, faint: false, region: false } },
    {
      name: "none but a region that moves",
      order: () => ({ redact: "none", regions: [REGION] }),
      expected: { code: false, faint: false, region: true },
    },
    {
      name: "a candidate in place of what was hidden",
      order: ([code, faint]) => ({ redact: [code, faint], except: [code], redaction_method: "pixelation" }),
      expected: { code: false, faint: true, region: false },
    },
  ])("$name", async ({ order, expected }) => {
    const video = await completedVideo();
    const asked = video.questions.length;
    expect(await hiddenIn(video)).toEqual({ code: true, faint: false, region: false });
    const revision = await revised(video, order(await idsOf(video)));
    expect(await hiddenIn(revision)).toEqual(expected);
    expect(await inspectVideo(revision)).toEqual({
      status: "completed",
      failureCode: null,
      events: ["media.processed"],
      usage: { used: 10, reserved: 0 },
      tasks: 0,
      objects: ["detections.00000", "output", "thumbnail"],
      work: [],
    });
    const { detections, revision_of: revisionOf } = await detectionsOf(revision);
    expect(revisionOf).toBe(video.mediaId);
    expect(detections.slice(0, 2).map(({ id }) => id)).toEqual(await idsOf(video));
    expect(detections.map(({ redacted }) => redacted)).toEqual([
      expected.code,
      expected.faint,
      ...(expected.region ? [true] : []),
    ]);
    // The detector is not called again, and the first media item is unchanged.
    expect(video.questions.length).toBe(asked);
    expect(await hiddenIn(video)).toEqual({ code: true, faint: false, region: false });
    expect((await inspectVideo(video)).work).toEqual(KEPT_WORK);
  });
});

test("regions and sound stay from revision to revision, and can be left out", async () => {
  const video = await completedVideo({ audio: "mute" });
  const first = await revised(video, { redact: "none", regions: [REGION] });
  expect(await hiddenIn(first)).toEqual({ code: false, faint: false, region: true });
  const region = (await detectionsOf(first)).detections.find(({ origin }) => origin === "request");
  expect(region).toMatchObject({ category: "documents", confidence: null, redacted: true });
  const second = await revised(first, { except: [region?.id] });
  expect(await hiddenIn(second)).toEqual({ code: true, faint: false, region: false });
  const open = (await detectionsOf(second)).detections.at(-1);
  expect(open).toEqual({ ...region, redacted: false });
  const third = await revised(second, {});
  expect(await hiddenIn(third)).toEqual({ code: true, faint: false, region: true });
  // All of them refer to the upload.
  expect((await detectionsOf(third)).revision_of).toBe(video.mediaId);
  const sizes = await Promise.all(
    [video, third].map(async (one) => (await env.MEDIA.head(outputKey(one)))?.size),
  );
  const loud = await revised(third, { audio: "keep" });
  expect((await env.MEDIA.head(outputKey(loud)))?.size).toBeGreaterThan((sizes[1] ?? 0) + 20_000);
});

test("a revision redacts a video that was only analyzed", async () => {
  const video = await completedVideo({ isDetectOnly: true });
  expect((await inspectVideo(video)).objects).toEqual(["detections.00000", "source"]);
  const revision = await revised(video, {});
  expect(await hiddenIn(revision)).toEqual({ code: true, faint: false, region: false });
});

test("what lies in an ignored region is listed, and can be switched on", async () => {
  const video = await completedVideo({ ignoreRegions: [{ box: [0.2, 0.2, 0.4, 0.5] }] });
  expect(await hiddenIn(video)).toEqual({ code: false, faint: false, region: false });
  const { detections } = await detectionsOf(video);
  expect(detections.map(({ redacted }) => redacted)).toEqual([false, false]);
  expect(await hiddenIn(await revised(video, {}))).toEqual({ code: false, faint: false, region: false });
  const [ignored] = detections;
  const revision = await revised(video, { redact: [ignored?.id] });
  expect(await hiddenIn(revision)).toEqual({ code: true, faint: false, region: false });
});

/** A revision after this many deliveries. */
async function begunRevision(deliveries: number): Promise<{
  readonly first: QueuedVideo;
  readonly revision: QueuedVideo;
  readonly next: () => Promise<unknown>;
}> {
  const first = await completedVideo();
  const revision = await revise(first, { redact: "none", regions: [REGION] });
  const bindings = quietBindings();
  const next = async (): Promise<unknown> => await deliver(revision.mediaId, bindings);
  for (let delivery = 0; delivery < deliveries; delivery++) await next();
  return { first, revision, next };
}

async function remove(video: QueuedVideo): Promise<void> {
  const order = { nowMs: Date.now(), settledAtMs: Date.now(), requestId: "req_test" };
  await deleteMedia(openDatabase(env.DB, "primary"), video, order);
  await deleteObjects(env.MEDIA, video);
}

test("its status details tell the steps of a revision, and a progress that only grows", async () => {
  const { revision, next } = await begunRevision(0);
  const database = openDatabase(env.DB, "primary");
  const seen: unknown[] = [];
  for (let delivery = 0; delivery < 6; delivery++) {
    const { status, step, progress } = await describeStatus(database, revision);
    seen.push([status, step, progress]);
    await next();
  }
  expect(seen).toEqual([
    ["queued", null, 0],
    ["processing", "link", 0],
    ["processing", "render", 0.25],
    ["processing", "render", 0.5],
    ["processing", "assemble", 0.75],
    ["completed", null, 1],
  ]);
});

// Begin, choose, two segments, assemble.
describe.for([0, 1, 2, 4])("after delivery %i of a revision", (deliveries) => {
  test("the first media is deleted: the revision fails, and nothing of either stays", async () => {
    const { first, revision, next } = await begunRevision(deliveries);
    const running = next();
    await remove(first);
    await running;
    await runToEnd(revision);
    await settle();
    const { status, failureCode, ...left } = await inspectVideo(revision);
    // A revision that is already being assembled may still complete and then stays.
    if (deliveries === 4 && status === "completed") {
      expect(await hiddenIn(revision)).toEqual({ code: false, faint: false, region: true });
    } else {
      expect([status, failureCode]).toEqual(["failed", "source_missing"]);
      expect(left).toMatchObject({ objects: [], work: [], tasks: 0, events: ["media.failed"] });
    }
    const firstLeft = await inspectVideo(first);
    expect([firstLeft.objects, firstLeft.work]).toEqual([[], []]);
  });

  test("the revision is deleted: nothing of it stays, and the first media is what it was", async () => {
    const { first, revision, next } = await begunRevision(deliveries);
    const running = next();
    await remove(revision);
    await running;
    await settle();
    expect(await inspectVideo(revision)).toMatchObject({
      status: undefined,
      objects: [],
      work: [],
      tasks: 0,
      events: [],
    });
    expect(await inspectVideo(first)).toMatchObject({
      status: "completed",
      objects: ["detections.00000", "output", "source", "thumbnail"],
      work: KEPT_WORK,
    });
  });
});

test("a source whose time is over stays while a revision of it runs, and goes with what it was made from", async () => {
  const { first, revision } = await begunRevision(2);
  vi.setSystemTime(START_MS + 25 * 3_600_000);
  await sweep(quietBindings());
  expect((await inspectVideo(first)).work).toEqual(KEPT_WORK);
  await expect(revise(first, {}, "key")).rejects.toMatchObject({
    details: { reason: "source_deleted" },
  });
  await runToEnd(revision);
  expect(await hiddenIn(revision)).toEqual({ code: false, faint: false, region: true });
  await settle();
  expect(await inspectVideo(first)).toMatchObject({
    objects: ["detections.00000", "output", "thumbnail"],
    work: [],
  });
  await expect(revise(revision, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
});

test.for([2027])("a worker killed at random moments of revisions ends the same (seed %i)", async (seed) => {
  const first = await completedVideo();
  const order = { redact: "none", regions: [REGION] };
  const calm = await revised(first, order);
  const expected = await (await env.MEDIA.get(outputKey(calm)))?.arrayBuffer();
  const random = randomFrom(seed);
  const kills = { made: 0, most: 16 };
  while (kills.made < kills.most) {
    const revision = await revise(first, order);
    await runToEnd(revision, { isDoubled: kills.made % 2 === 1, around: killsAtRandom(kills, random) });
    await settle();
    expect(await inspectVideo(revision)).toMatchObject({
      status: "completed",
      events: ["media.processed"],
      objects: ["detections.00000", "output", "thumbnail"],
      work: [],
      tasks: 0,
    });
    expect(await (await env.MEDIA.get(outputKey(revision)))?.arrayBuffer()).toEqual(expected);
  }
  expect((await inspectVideo(first)).work).toEqual(KEPT_WORK);
});

describe("what a video's revision is refused with leaves nothing behind", () => {
  test.for<{ name: string; body: object; details: object }>([
    {
      name: "unknown ids",
      body: { redact: ["det_000000000000_1"], except: ["reg_000000000000_1"] },
      details: {
        redact: ["`redact` names det_000000000000_1; expected IDs of this media item's detections."],
        except: ["`except` names reg_000000000000_1; expected IDs of this media item's detections."],
      },
    },
    {
      name: "a region after the end",
      body: { regions: [{ box: { x: 0, y: 0, width: 1, height: 1 }, start_seconds: 6.5 }] },
      details: {
        regions: [
          "`regions[0].start_seconds` is 6.5; expected a time before the end of the video, 6 seconds.",
        ],
      },
    },
  ])("$name", async ({ body, details }) => {
    const video = await completedVideo({ isDetectOnly: true });
    await expect(revise(video, body, "key")).rejects.toMatchObject({
      code: "validation_failed",
      details,
    });
    for (const table of ["media_revisions", "idempotency_keys"])
      expect(
        await env.DB.prepare(`SELECT 1 FROM ${table} WHERE account_id = ?`).bind(video.accountId).first(),
      ).toBeNull();
  });

  test("a video of which nothing is kept, and more than fifty at once", async () => {
    const video = await completedVideo({ isDetectOnly: true });
    const tries = await Promise.allSettled(
      Array.from({ length: 51 }, async () => await revise(video, { redact: "none" })),
    );
    const refused = tries.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ reason: { code: "validation_failed" } });
    await env.MEDIA.delete(`${video.accountId}/${video.mediaId}/work/kept.json`);
    await expect(revise(video, {})).rejects.toMatchObject({ details: { reason: "detections_unknown" } });
  });
});
