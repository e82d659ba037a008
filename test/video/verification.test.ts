import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { deleteObjects, outputKey } from "../../src/records/media/media.objects.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { saveReviewRules } from "../../src/records/review/review-rules.repository.ts";
import { describeStatus } from "../../src/records/media-api/status-details.service.ts";
import { describeVerification } from "../../src/records/verification/verification.service.ts";
import { workKey } from "../../src/records/video-tasks/video.objects.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { randomFrom } from "./compose/random.ts";
import { killsAtRandom } from "./support/random-kills.ts";
import { answerWhatIsSeen, linked, loseMasks, newVideo } from "./support/seen-code.ts";
import {
  KEPT_VERIFIED_WORK,
  answerFrames,
  clipOf,
  deliver,
  inspectVideo,
  runToEnd,
  settle,
  type QueuedVideo,
} from "./support/video-jobs.ts";

beginQuietly();

const database = openDatabase(env.DB, "primary");

async function storedJson(video: QueuedVideo, name: string): Promise<Record<string, unknown>> {
  const object = await env.MEDIA.get(workKey(video, name));
  return await (object?.json<Record<string, unknown>>() ?? Promise.reject(new Error("It is gone.")));
}

/** A video of an account whose rules send findings to review. */
async function reviewedVideo(): Promise<QueuedVideo> {
  const video = await newVideo();
  const rules = { moreThan: {}, between: {}, verificationFindings: true };
  const deed = { actor: { kind: "user", id: "usr_1" }, requestId: "req_1", nowMs: Date.now() } as const;
  await saveReviewRules(database, rules, { ...deed, accountId: video.accountId });
  return video;
}

async function startOfSecondSegment(video: QueuedVideo): Promise<number> {
  const plan = await storedJson(video, "plan.json");
  const [, second] = plan["segments"] as { firstFrame: number }[];
  return (second?.firstFrame ?? 0) / 15;
}

async function reviewReasons(video: QueuedVideo): Promise<unknown> {
  const review = await env.DB.prepare("SELECT reasons FROM media_reviews WHERE media_id = ?")
    .bind(video.mediaId)
    .first<{ reasons: string }>();
  return JSON.parse(review?.reasons ?? "[]");
}

/** Expects one finding, from a time to the end of the clip, and a review for it. */
async function expectFindingFrom(startSeconds: number, video: QueuedVideo): Promise<void> {
  const { status, findings } = await verification(video);
  expect(status).toBe("findings");
  expect(findings).toMatchObject([
    { kind: "found_again", category: "qr_codes", confidence: 0.9, box: { x: 0.25, y: 0.25, width: 0.3 } },
  ]);
  expect(findings[0]?.start_seconds).toBeCloseTo(startSeconds, 3);
  // The last frame of the clip.
  expect(findings[0]?.end_seconds).toBeCloseTo(89 / 15, 3);
  expect(await inspectVideo(video)).toMatchObject({ status: "completed", tasks: 0 });
  expect(await reviewReasons(video)).toEqual([{ kind: "verification", found: 1 }]);
}

async function verification(video: QueuedVideo) {
  return await describeVerification(database, video);
}

/**
 * Delivers a clip of one frame to a worker that is killed from a storage call on, and expects it to complete all the same.
 *
 * @returns whether there was such a call
 */
async function survivesKill(
  video: QueuedVideo,
  { kill, when }: { readonly kill: number; readonly when: "before" | "after" },
): Promise<boolean> {
  const plan = (call: number) => (call >= kill ? new Error("The worker was killed.") : undefined);
  const faulty = faultyBindings({ ...env, ...quietBindings() }, plan, when);
  await deliver(video.mediaId, faulty.bindings).catch(() => undefined);
  await runToEnd(video);
  await settle();
  expect(await inspectVideo(video)).toMatchObject({
    status: "completed",
    events: ["media.processed"],
    tasks: 0,
    objects: ["detections.00000", "output", "source", "thumbnail"],
  });
  expect(await verification(video)).toMatchObject({ status: "passed", looked_at: { frames: 1 } });
  return faulty.calls() >= kill;
}

describe("the output of a video is read again", () => {
  test("and passes if nothing is bare, with every sampled frame", async () => {
    const asked = answerWhatIsSeen();
    const video = await newVideo();
    await linked(video, quietBindings());
    const sampled = asked.frames;
    const sightings = (await storedJson(video, "sightings-0.json")) as unknown as unknown[];
    expect(sightings.length).toBeGreaterThan(5);
    await runToEnd(video);
    const again = asked.frames - sampled;
    // Every sample shows the code, so no track has a gap.
    expect(again).toBe(sampled);
    expect(await verification(video)).toEqual({
      media_id: video.mediaId,
      status: "passed",
      looked_at: { pictures: 0, frames: again },
      findings: [],
    });
    expect(await inspectVideo(video)).toEqual({
      status: "completed",
      failureCode: null,
      events: ["media.processed"],
      usage: { used: 10, reserved: 0 },
      tasks: 0,
      objects: ["detections.00000", "output", "source", "thumbnail"],
      work: KEPT_VERIFIED_WORK,
    });
  });

  test.for([
    ["the detector sees it", false],
    ["its pixels are the source's, though the detector sees nothing", true],
  ] as const)(
    "a mask is missing from its last two seconds: a finding, and a review: %s",
    async ([, isBlind]) => {
      const asked = answerWhatIsSeen();
      const video = await reviewedVideo();
      await linked(video, quietBindings());
      const stored = await storedJson(video, "tracks-1.json");
      await loseMasks(video);
      for (let delivery = 0; delivery < 2; delivery++) await deliver(video.mediaId, quietBindings());
      await env.MEDIA.put(workKey(video, "tracks-1.json"), JSON.stringify(stored));
      asked.isBlind = isBlind;
      const secondSegment = await startOfSecondSegment(video);
      await runToEnd(video);
      await expectFindingFrom(secondSegment, video);
    },
  );

  test("a mask that the records lack too is painted, and the output is read once more", async () => {
    const asked = answerWhatIsSeen();
    const video = await reviewedVideo();
    await linked(video, quietBindings());
    const sampled = asked.frames;
    await loseMasks(video);
    await runToEnd(video);
    expect(await verification(video)).toMatchObject({
      status: "passed",
      looked_at: { frames: sampled },
      findings: [],
    });
    expect(asked.frames).toBe(3 * sampled);
    expect(await inspectVideo(video)).toEqual({
      status: "completed",
      failureCode: null,
      events: ["media.processed"],
      usage: { used: 10, reserved: 0 },
      tasks: 0,
      objects: ["detections.00000", "output", "source", "thumbnail"],
      work: KEPT_VERIFIED_WORK,
    });
    expect(await reviewReasons(video)).toEqual([]);
  });

  test("a mask that is lost each time is painted twice and stays a finding", async () => {
    const asked = answerWhatIsSeen();
    const video = await reviewedVideo();
    await linked(video, quietBindings());
    const sampled = asked.frames;
    const secondSegment = await startOfSecondSegment(video);
    const progress: (number | null)[] = [];
    for (let isOver = false; !isOver;) {
      await loseMasks(video);
      await deliver(video.mediaId, quietBindings());
      const details = await describeStatus(database, video);
      progress.push(details.progress);
      isOver = details.status !== "processing";
    }
    expect(progress).toEqual(progress.toSorted((a, b) => Number(a) - Number(b)));
    // Before it was painted, and after each of three times.
    expect(asked.frames).toBe(4 * sampled);
    await expectFindingFrom(secondSegment, video);
  });

  test("of a revision, what a person left visible is no finding", async () => {
    answerWhatIsSeen();
    const video = await newVideo();
    await runToEnd(video);
    const open = await revise(video, { redact: "none" });
    await runToEnd(open);
    expect(await verification(open)).toMatchObject({ status: "passed", findings: [] });
    const hidden = await revise(video, {});
    await runToEnd(hidden);
    expect(await verification(hidden)).toMatchObject({ status: "passed", findings: [] });
  });

  test("only if that was asked for", async () => {
    answerWhatIsSeen();
    const video = await newVideo({ options: { isVerified: false } });
    await runToEnd(video);
    expect(await verification(video)).toMatchObject({ status: "not_done", looked_at: { frames: 0 } });
  });

  test("and nobody else sees what it found", async () => {
    answerWhatIsSeen();
    const video = await newVideo({ source: clipOf("oneFrame") });
    await runToEnd(video);
    const { accountId } = await createAccount();
    await expect(describeVerification(database, { ...video, accountId })).rejects.toMatchObject({
      status: 404,
    });
  });
});

test("status details count the second reading, and progress only grows", async () => {
  answerWhatIsSeen();
  const video = await newVideo();
  const seen: unknown[] = [];
  for (let delivery = 0; delivery < 10; delivery++) {
    await deliver(video.mediaId, quietBindings());
    const { status, step, progress } = await describeStatus(database, video);
    seen.push([status, step, progress]);
  }
  expect(seen).toEqual([
    ["processing", "analyse", 0],
    ["processing", "analyse", 0.111],
    ["processing", "link", 0.222],
    ["processing", "render", 0.333],
    ["processing", "render", 0.444],
    ["processing", "assemble", 0.555],
    ["processing", "assemble", 0.666],
    ["processing", "assemble", 0.777],
    ["processing", "assemble", 0.888],
    ["completed", null, 1],
  ]);
});

describe("a second reading that fails", () => {
  test("for good never loses the output: the video completes without it", async () => {
    const asked = { frames: 0 };
    answerFrames((call) => {
      asked.frames = call;
      return isAssembled ? Response.json({ frames: [] }) : undefined;
    });
    let isAssembled = false;
    const video = await newVideo();
    await linked(video, quietBindings());
    isAssembled = true;
    await runToEnd(video);
    expect(await inspectVideo(video)).toMatchObject({ status: "completed", events: ["media.processed"] });
    expect(await verification(video)).toMatchObject({ status: "not_done", findings: [] });
  });

  test.for([
    ["sightings", /sightings-1\.json$/],
    ["details", /analyse-1-\d+\/details-gzip\.00000$/],
  ] as const)("because its %s are damaged, does not fail the video", async ([, damaged]) => {
    answerFrames();
    const video = await newVideo();
    await linked(video, quietBindings());
    const { objects } = await env.MEDIA.list({ prefix: workKey(video, "") });
    const keys = objects.map(({ key }) => key).filter((key) => damaged.test(key));
    expect(keys).toHaveLength(1);
    for (const key of keys) await env.MEDIA.put(key, "[");
    await runToEnd(video);
    expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null, tasks: 0 });
    expect(await verification(video)).toMatchObject({ status: "not_done" });
  });

  /** Steps of a clip of one segment: plan, analyse, link, render, assemble, verify, complete. */
  const STEPS = 7;

  test.for(["before", "after"] as const)(
    "a worker killed %s any storage call of the last steps changes nothing",
    async (when) => {
      answerWhatIsSeen();
      for (let target = 4; target < STEPS; target++) {
        for (let kill = 1; ; kill++) {
          const video = await newVideo({ source: clipOf("oneFrame"), quotaUnits: 1 });
          for (let step = 0; step < target; step++) await deliver(video.mediaId, quietBindings());
          if (!(await survivesKill(video, { kill, when }))) break;
        }
      }
    },
  );

  test.for(["before", "after"] as const)(
    "a worker killed %s any storage call of the decision to paint again paints it once",
    async (when) => {
      answerWhatIsSeen();
      for (let kill = 1; ; kill++) {
        const video = await newVideo({ source: clipOf("oneFrame"), quotaUnits: 1 });
        for (let step = 0; step < STEPS - 1; step++) {
          await deliver(video.mediaId, quietBindings());
          if (step === 2) await loseMasks(video, 0);
        }
        if (!(await survivesKill(video, { kill, when }))) break;
      }
    },
  );

  test("at random moments, ten times, ends with the same findings and the same output", async () => {
    answerWhatIsSeen();
    const calm = await newVideo();
    await runToEnd(calm);
    const random = randomFrom(34);
    const kills = { made: 0, most: 10 };
    while (kills.made < kills.most) {
      const video = await newVideo();
      await runToEnd(video, { around: killsAtRandom(kills, random), isDoubled: true });
      await settle();
      const { media_id: _own, ...found } = await verification(video);
      const { media_id: _other, ...expected } = await verification(calm);
      expect(found).toEqual(expected);
      const [output, other] = await Promise.all([video, calm].map((one) => env.MEDIA.get(outputKey(one))));
      expect(await output?.arrayBuffer()).toEqual(await other?.arrayBuffer());
    }
  });

  test("deleted while it runs, nothing stays", async () => {
    answerWhatIsSeen();
    const video = await newVideo();
    for (let delivery = 0; delivery < 7; delivery++) await deliver(video.mediaId, quietBindings());
    const running = deliver(video.mediaId, quietBindings());
    await deleteMedia(database, video, {
      nowMs: Date.now(),
      settledAtMs: Date.now(),
      requestId: "req_test",
    });
    await deleteObjects(env.MEDIA, video);
    await running;
    const left = await inspectVideo(video);
    expect([left.status, left.tasks, left.objects, left.work]).toEqual([undefined, 0, [], []]);
  });
});
