import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import type { MaskingOptions } from "../../src/records/masking/masking-options.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { openSource } from "../../src/work/video/containers/open-container.ts";
import { loadSegmentTracks } from "../../src/work/video/steps/segment-tracks.ts";
import { regionsAt } from "../../src/work/video/tracks/track.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { saveReviewRules } from "../../src/records/review/review-rules.repository.ts";
import { createAccount } from "../support/accounts.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import {
  answerFrames,
  deliver,
  KEPT_WORK,
  inspectVideo,
  queuedVideo,
  runToEnd,
  type QueuedVideo,
} from "./support/video-jobs.ts";

/** Deliveries until the tracks exist: plan, two segments, link. */
const DELIVERIES = 4;
const FRAMES = 90;

beginQuietly();

async function newVideo(options: Partial<MaskingOptions>): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  return await queuedVideo(accountId, { options });
}

/** The hidden categories in each frame of a video that always shows a code. */
async function hiddenCategories(options: Partial<MaskingOptions>): Promise<string[]> {
  const video = await newVideo(options);
  const bindings = quietBindings();
  for (let delivery = 0; delivery < DELIVERIES; delivery++) await deliver(video.mediaId, bindings);
  const segments = await Promise.all(
    [0, 1].map(async (segment) => {
      return await loadSegmentTracks(env.MEDIA, { ...video, segment });
    }),
  );
  return Array.from({ length: FRAMES }, (_, frame) => {
    const regions = segments.flatMap(({ tracks }) => regionsAt(tracks, frame));
    return [...new Set(regions.map(({ category }) => category))].toSorted().join();
  });
}

test("regions are hidden in their time, whatever is detected, and ignored regions leave open", async () => {
  answerFrames();
  const hidden = await hiddenCategories({
    regions: [{ category: "heads", box: [0.7, 0.7, 0.2, 0.2], startSeconds: 1, endSeconds: 4.99 }],
    ignoreRegions: [{ box: [0.2, 0.2, 0.4, 0.5], endSeconds: 3 }],
  });
  // At 15 frames per second, the code is visible for three seconds, minus the time by which tracks begin earlier.
  expect(hidden[0]).toBe("");
  expect(hidden[20]).toBe("heads");
  expect(hidden[60]).toBe("heads,qr_codes");
  expect(hidden[14]).toBe("");
  expect(hidden[74]).toBe("heads,qr_codes");
  expect(hidden[80]).toBe("qr_codes");
});

/** Answers each requested frame with a detection. Returns the requests. */
function answerEachFrame(detectionOf: (frame: number) => object): readonly unknown[] {
  const questions: unknown[] = [];
  let frame = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    const body = await new Response(init?.body).text();
    questions.push(JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "null"));
    const frames = Array.from({ length: body.split('name="frames"').length - 1 }, () => ({
      width: 160,
      height: 96,
      detections: [detectionOf(frame++)],
    }));
    return Response.json({ frames });
  });
  return questions;
}

test.for([
  { verdicts: [0.05], sensitivity: "normal", hides: false },
  { verdicts: [0.05, 0.9], sensitivity: "normal", hides: true },
  { verdicts: [0.15], sensitivity: "normal", hides: false },
  { verdicts: [0.15], sensitivity: "high", hides: true },
  { verdicts: [], sensitivity: "normal", hides: true },
] as const)(
  "a track whose second looks say $verdicts at $sensitivity sensitivity is hidden: $hides",
  async ({ verdicts, sensitivity, hides }) => {
    answerEachFrame((frame) => ({
      category: "qr_codes",
      confidence: 0.7,
      box: [0.25, 0.25, 0.3, 0.4],
      ...(verdicts[frame] !== undefined && { second_look: verdicts[frame] }),
    }));
    const hidden = await hiddenCategories({ sensitivity });
    expect(new Set(hidden)).toEqual(new Set([hides ? "qr_codes" : ""]));
  },
);

test("thresholds that a person set decide what is hidden, and are what the detector is asked", async () => {
  const box = [0.25, 0.25, 0.3, 0.4];
  const answerAs = (confidence: number, candidate: boolean): readonly unknown[] =>
    answerEachFrame(() => ({ category: "qr_codes", confidence, box, candidate }));
  const faint = answerAs(0.2, false);
  expect(new Set(await hiddenCategories({ minConfidence: 0.15 }))).toEqual(new Set(["qr_codes"]));
  expect(faint[0]).toEqual({
    categories: ["qr_codes"],
    min_confidence: 0.15,
    candidates: true,
    single_look: true,
  });
  vi.restoreAllMocks();
  await env.DB.exec("DELETE FROM media");
  const under = answerAs(0.5, true);
  expect(new Set(await hiddenCategories({ sensitivity: "low" }))).toEqual(new Set([""]));
  expect(under[0]).toMatchObject({ sensitivity: "low", candidates: true });
});

test("looking alone completes without an output, and leaves nothing but the source and what revisions are made from", async () => {
  answerFrames();
  const video = await newVideo({ isDetectOnly: true });
  await runToEnd(video);
  expect(await inspectVideo(video)).toEqual({
    status: "completed",
    failureCode: null,
    events: ["media.processed"],
    usage: { used: 10, reserved: 0 },
    tasks: 0,
    objects: ["detections.00000", "source"],
    work: KEPT_WORK,
  });
});

test.for([
  { audio: "mute" as const, tracks: 0 },
  { audio: "keep" as const, tracks: 1 },
])("the sound of a video: $audio", async ({ audio, tracks }) => {
  answerFrames();
  const video = await newVideo({ audio });
  await runToEnd(video);
  const output = await env.MEDIA.get(outputKey(video));
  const bytes = new Uint8Array((await output?.arrayBuffer()) ?? new ArrayBuffer(0));
  const { container } = await openSource(
    async (start, end) => Uint8Array.from(bytes.subarray(start, end)),
    bytes.length,
  );
  expect(await container.getVideoTracks()).toHaveLength(1);
  expect(await container.getAudioTracks()).toHaveLength(tracks);
  container.dispose();
});

test("a video is listed for review by its tracks, by the rules of its account", async () => {
  answerFrames();
  const video = await newVideo({});
  const deed = {
    accountId: video.accountId,
    actor: { kind: "user", id: "usr_a" },
    requestId: "req_test",
    nowMs: START_MS,
  } as const;
  const database = openDatabase(env.DB, "primary");
  const between = { all: { fromPercent: 1, toPercent: 100 } };
  await saveReviewRules(database, { moreThan: { all: 0, heads: 0 }, between }, deed);
  await runToEnd(video);
  const row = await env.DB.prepare("SELECT reasons FROM media_reviews WHERE media_id = ?")
    .bind(video.mediaId)
    .first<{ reasons: string }>();
  const reasons: unknown = JSON.parse(row?.reasons ?? "[]");
  expect(reasons).toMatchObject([
    { kind: "many", subject: "all", limit: 0 },
    { kind: "doubtful", subject: "all" },
  ]);
});
