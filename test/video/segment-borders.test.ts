import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { NO_REASONS } from "../../src/records/masking/reasons.schemas.ts";
import { parseVideoEnv } from "../../src/ground/platform/env.ts";
import { coarseFrameOf, yuv420Bytes } from "../../src/work/video/sampling/coarse-frame.ts";
import { coarseSize } from "../../src/work/video/sampling/frame-sizes.ts";
import { patchInput } from "../../src/work/video/patches/patch-input.ts";
import { PatchPainter, patchBytes } from "../../src/work/video/patches/patch-painter.ts";
import { loadPlan, resultKey, type StepContext } from "../../src/work/video/tasks/step-context.ts";
import { packedPieces } from "../../src/work/video/tasks/packed-pieces.ts";
import { COARSE_NAME } from "../../src/records/video-tasks/video.objects.ts";
import { loadSegmentTracks } from "../../src/work/video/steps/segment-tracks.ts";
import { DEFAULT_OPTIONS } from "../../src/records/masking/masking-options.ts";
import { regionsAt } from "../../src/work/video/tracks/track.ts";
import { PieceReader } from "../../src/records/video-tasks/pieces.ts";
import { createAccount } from "../support/accounts.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { answerFrames, deliver, queuedVideo } from "./support/video-jobs.ts";

const SIZE = { width: 160, height: 96 };
/** Deliveries until the tracks exist: plan, two segments, link. */
const DELIVERIES = 4;
/** How far a cell's value may move before its paint changes, in levels. */
const HELD_LEVELS = 3;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The two segments of a video before rendering. */
async function linkedSegments(): Promise<readonly [StepContext, StepContext]> {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId);
  const bindings = quietBindings();
  for (let delivery = 0; delivery < DELIVERIES; delivery++) await deliver(video.mediaId, bindings);
  const database = openDatabase(env.DB, "primary");
  const row = await findMediaById(database, video.mediaId);
  if (row === undefined) throw new Error("The video is gone.");
  const contextOf = (segment: number): StepContext => ({
    config: parseVideoEnv(env),
    database,
    row,
    order: {
      options: DEFAULT_OPTIONS,
      source: video,
      analysis: video,
      isRevision: false,
      reasons: NO_REASONS,
    },
    task: {
      mediaId: row.id,
      kind: "render",
      segment,
      attempts: 1,
      excusedAttempts: 0,
      leaseId: "",
      availableAtMs: 0,
    },
    signal: new AbortController().signal,
    breaker: { assertMayCall: async () => undefined, countAnswer: async () => undefined },
  });
  return [contextOf(0), contextOf(1)];
}

/** A segment's tracks as heads, so that cells keep means of the moving content. */
async function headsOf(context: StepContext) {
  const { segment } = context.task;
  const { tracks, cuts } = await loadSegmentTracks(env.MEDIA, { ...context.order.source, segment });
  return { tracks: tracks.map(({ id, points }) => ({ id, points, category: "heads" as const })), cuts };
}

/** The last patch of a painter that gets all frames of some segments up to a frame. */
async function patchAt(contexts: readonly StepContext[], lastFrame: number): Promise<Uint8Array> {
  const painter = new PatchPainter({ ...SIZE, method: "blur" });
  const coarse = coarseSize(SIZE);
  let data: Uint8Array = new Uint8Array(0);
  for (const context of contexts) {
    const plan = await loadPlan(context);
    const { tracks, cuts } = await headsOf(context);
    const { firstFrame = 0, frames = 0 } = plan.segments[context.task.segment] ?? {};
    const reader = new PieceReader(packedPieces(env.MEDIA, resultKey(context, "analyse", COARSE_NAME)));
    for (let frame = firstFrame; frame < Math.min(firstFrame + frames, lastFrame + 1); frame++) {
      const bytes = await reader.read(yuv420Bytes(coarse.width, coarse.height));
      ({ data } = painter.paint({
        regions: regionsAt(tracks, frame, SIZE),
        coarse: coarseFrameOf(bytes, coarse.width, coarse.height),
        timestampSeconds: (plan.frameTicks[frame] ?? 0) / plan.ticksPerSecond,
        isCut: cuts.includes(frame),
      }));
    }
  }
  return data.slice();
}

/** The largest difference between two patches where both hide. */
function difference(a: Uint8Array, b: Uint8Array): number {
  const alpha = a.length - SIZE.width * SIZE.height;
  expect(a.subarray(alpha)).toEqual(b.subarray(alpha));
  let most = 0;
  for (let at = 0; at < SIZE.width * SIZE.height; at++) {
    if (a[alpha + at] === 255) most = Math.max(most, Math.abs((a[at] ?? 0) - (b[at] ?? 0)));
  }
  return most;
}

test("a segment's cells go on as the segment before left them", async () => {
  const [first, second] = await linkedSegments();
  const plan = await loadPlan(second);
  const border = plan.segments[1]?.firstFrame ?? 0;
  const patches = await patchInput(second, plan, await headsOf(second));
  const painted = await patches.read(patchBytes(SIZE.width, SIZE.height));
  const unbroken = await patchAt([first, second], border);
  const anew = await patchAt([second], border);
  expect(painted.some((value) => value === 255)).toBe(true);
  expect(difference(painted, unbroken)).toBeLessThanOrEqual(HELD_LEVELS);
  expect(difference(anew, unbroken)).toBeGreaterThan(HELD_LEVELS);
});
