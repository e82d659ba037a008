import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import type { MaskingOptions } from "../../../src/records/masking/masking-options.ts";
import { sourceKey } from "../../../src/records/media/media.objects.ts";
import { nowMs } from "../../../src/ground/platform/clock.ts";
import { openDatabase } from "../../../src/ground/platform/database.ts";
import { parseVideoEnv } from "../../../src/ground/platform/env.ts";
import { newUuid } from "../../../src/ground/platform/ids.ts";
import type { DatabaseName } from "../../../src/ground/vocabulary/database-names.ts";
import { withMainDatabase } from "../../../src/ground/platform/databases.ts";
import { sweep } from "../../../src/work/maintenance/sweeper.ts";
import type { ConvertedFormat } from "../../../src/ground/vocabulary/media-values.ts";
import { insertPending, queueMedia } from "../../../src/records/uploads/upload.repository.ts";
import type { ProbedVideo } from "../../../src/work/video/containers/probe.ts";
import { consumeVideoJobs } from "../../../src/work/video/video-jobs.consumer.ts";
import { deliverJob, mediaState } from "../../support/deliveries.ts";
import { HeldQueue } from "../../support/held-queue.ts";
import { quietBindings } from "../../support/quiet-bindings.ts";
import { pendingMedia } from "../../support/pending-media.ts";
import type { Clips } from "../clips.ts";

const PERIOD_START = "2026-01-01";
const LEASE_MS = 60_000;
const MOST_ROUNDS = 400;
const SETTLING_ROUNDS = 3;
const ENGINE_SERVICE = "http://media.test";
const OF_THE_ENGINE = /^http:\/\/media\.test\/[\w-]+\/(?:v1\/run|v1\/abilities|counts)$/;

export interface QueuedVideo {
  readonly mediaId: string;
  readonly accountId: string;
}

/** A clip's bytes. */
export function clipOf(name: keyof Clips): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(inject("clips")[name]), (byte) => byte.charCodeAt(0));
}

/** A queued video with its stored source, as after an upload. */
export async function queuedVideo(
  accountId: string,
  options: {
    source?: Uint8Array<ArrayBuffer>;
    quotaUnits?: number;
    format?: "mp4" | "quicktime" | "webm";
    sourceFormat?: ConvertedFormat;
    probed?: Omit<ProbedVideo, "format">;
    options?: Partial<MaskingOptions>;
  } = {},
): Promise<QueuedVideo> {
  const { source = clipOf("twoSegments"), quotaUnits = 10, format = "mp4", sourceFormat = null } = options;
  const { probed = { widthPixels: 160, heightPixels: 96, durationSeconds: 6 } } = options;
  const owned = { accountId, mediaId: newUuid() };
  const database = openDatabase(env.DB, "primary");
  await env.MEDIA.put(sourceKey(owned), source);
  await insertPending(database, {
    ...pendingMedia(owned, { createdAt: nowMs(), periodStart: PERIOD_START }),
    filename: "clip.mp4",
    mediaType: "video",
    format,
    sourceFormat,
  });
  const fields = {
    categories: ["qr_codes" as const],
    redactionMethod: "blur" as const,
    fileSizeBytes: source.length,
    ...probed,
    quotaUnits,
    availableAt: nowMs(),
  };
  const { options: chosen } = options;
  await queueMedia(database, owned, { fields, unitsLimit: null, idempotency: undefined, options: chosen });
  return owned;
}

/** Delivers one permit to the consumer. Returns the delay in seconds until it arrives again; undefined if it was acknowledged. */
export async function deliver(
  mediaId: string,
  bindings: object,
  place: { readonly database?: DatabaseName } = {},
): Promise<number | undefined> {
  const consume = async (batch: MessageBatch): Promise<void> => {
    await consumeVideoJobs(batch, parseVideoEnv(bindings));
  };
  const { delaySeconds } = await deliverJob("veil-videos", mediaId, consume, place);
  return delaySeconds;
}

/**
 * Delivers messages until the video has ended or is deleted, and advances the clock by each delay. The sweeper runs when there are no
 * messages.
 *
 * @param around called before each delivery with its number from 1; returns the bindings for it
 */
export async function runToEnd(
  { mediaId }: QueuedVideo,
  options: { around?: (delivery: number, bindings: object) => object; isDoubled?: boolean } = {},
): Promise<number> {
  const { around = (_delivery, bindings) => bindings, isDoubled = false } = options;
  const queue = new HeldQueue();
  const bindings = { ...quietBindings(), VIDEO_JOBS: queue.binding };
  await queue.binding.send({ mediaId, requestId: "req_test" });
  for (let delivery = 1; delivery < MOST_ROUNDS; delivery++) {
    const row = await env.DB.prepare("SELECT status FROM media WHERE id = ?")
      .bind(mediaId)
      .first<{ status: string }>();
    if (row === null || !["queued", "processing"].includes(row.status)) return delivery;
    // The last permit first, because nothing may depend on the order.
    const permit = queue.permits.pop();
    if (permit === undefined) {
      vi.setSystemTime(Date.now() + LEASE_MS + 1000);
      await sweep(withMainDatabase(bindings));
      continue;
    }
    vi.setSystemTime(Math.max(Date.now(), permit.dueAtMs));
    const again = await deliver(mediaId, around(delivery, bindings));
    if (isDoubled) await deliver(mediaId, bindings);
    if (again !== undefined) {
      vi.setSystemTime(Date.now() + again * 1000);
      queue.permits.push(permit);
    }
  }
  throw new Error("The video has not ended.");
}

/** Lets leases expire and runs the sweeper until nothing of a killed worker is left. */
export async function settle(): Promise<void> {
  const queue = new HeldQueue();
  const bindings = { ...quietBindings(), VIDEO_JOBS: queue.binding };
  for (let round = 0; round < SETTLING_ROUNDS; round++) {
    vi.setSystemTime(Date.now() + LEASE_MS + 1000);
    await sweep(withMainDatabase(bindings));
    for (const { body } of queue.permits.splice(0)) await deliver(body.mediaId, bindings);
  }
}

/** The objects that a completed clip of two segments keeps for its revisions. */
export const KEPT_WORK = [
  "analyse-0/coarse-gzip.00000",
  "analyse-1/coarse-gzip.00000",
  "candidates.json",
  "kept.json",
  "plan.json",
  "tracks-0.json",
  "tracks-1.json",
];

/** The same of a video whose output is read again. */
export const KEPT_VERIFIED_WORK = [
  ...KEPT_WORK,
  "analyse-0/details-gzip.00000",
  "analyse-1/details-gzip.00000",
  "sightings-0.json",
  "sightings-1.json",
].toSorted();

/** The final state of a video and its objects. Results of its steps are listed separately, without attempt numbers. */
export async function inspectVideo(video: QueuedVideo, database: D1Database = env.DB) {
  const tasks = await database
    .prepare("SELECT count(*) AS total FROM video_tasks WHERE media_id = ?")
    .bind(video.mediaId)
    .first<{ total: number }>();
  const { objects, ...state } = await mediaState(video, database);
  const work = objects.flatMap((name) =>
    name.startsWith("work/") ? [name.slice("work/".length).replace(/^(analyse-\d+)-\d+/, "$1")] : [],
  );
  return {
    ...state,
    objects: objects.filter((name) => !name.startsWith("work/")),
    work,
    tasks: tasks?.total,
  };
}

const outside = globalThis.fetch.bind(globalThis);

/** Variables of a Worker that sends videos to the tests' inference service with this behavior. */
export function engineServiceVars(behaviour: string): Readonly<Record<string, string>> {
  return {
    VIDEO_ENGINE: "service",
    INFERENCE_URL: `${ENGINE_SERVICE}/${behaviour}`,
    INFERENCE_TOKEN: "a-token-of-the-tests",
  };
}

export const BOX = { category: "qr_codes", confidence: 0.9, box: [0.25, 0.25, 0.3, 0.4] };

/**
 * Replaces the detector, but not the video engine. By default, it finds one code in every frame. If `fault` returns an answer for a call,
 * that is used instead. Returns the requests in order.
 */
export function answerFrames(
  fault: (call: number) => Response | undefined = () => undefined,
  size: { width: number; height: number } = { width: 160, height: 96 },
  detections: readonly object[] = [BOX],
): readonly unknown[] {
  const questions: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    if (typeof input === "string" && OF_THE_ENGINE.test(input)) return await outside(input, init);
    const body = init?.body instanceof ReadableStream ? await new Response(init.body).text() : "";
    questions.push(JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "null"));
    const frames = body.split('name="frames"').length - 1;
    const frame = { ...size, detections };
    const answer = { frames: Array.from({ length: frames }, () => frame), models: [] };
    return fault(questions.length) ?? Response.json(answer);
  });
  return questions;
}
