import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { consumeImageJobs } from "../../src/work/images/image-jobs.consumer.ts";
import type { MaskingOptions } from "../../src/records/masking/masking-options.ts";
import { sourceKey } from "../../src/records/media/media.objects.ts";
import type { RedactionCategory } from "../../src/ground/vocabulary/categories.ts";
import type { ConvertedFormat, ImageFormat } from "../../src/ground/vocabulary/media-values.ts";
import { nowMs } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseImageEnv } from "../../src/ground/platform/env.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { insertPending, queueMedia } from "../../src/records/uploads/upload.repository.ts";
import { deliverJob, type Delivery } from "./deliveries.ts";
import { HeldQueue } from "./held-queue.ts";
import { png } from "./images.ts";
import { pendingMedia } from "./pending-media.ts";

const PERIOD_START = "2026-01-01";

export interface QueuedMedia {
  readonly mediaId: string;
  readonly accountId: string;
}

/** A queued media item with its stored source, as after an upload. */
export async function queuedMedia(
  accountId: string,
  options: {
    source?: Uint8Array<ArrayBuffer>;
    format?: ImageFormat;
    sourceFormat?: ConvertedFormat;
    categories?: RedactionCategory[];
    options?: Partial<MaskingOptions>;
  } = {},
): Promise<QueuedMedia> {
  const { source = await png({ width: 64, height: 48 }), format = "png", categories = ["heads"] } = options;
  const owned = { accountId, mediaId: newUuid() };
  const database = openDatabase(env.DB, "primary");
  await env.MEDIA.put(sourceKey(owned), source);
  const pending = pendingMedia(owned, { createdAt: nowMs(), periodStart: PERIOD_START });
  await insertPending(database, { ...pending, format, sourceFormat: options.sourceFormat ?? null });
  const fields = {
    categories,
    redactionMethod: "blur" as const,
    fileSizeBytes: source.length,
    widthPixels: 64,
    heightPixels: 48,
    durationSeconds: null,
    quotaUnits: 1,
    availableAt: nowMs(),
  };
  const { options: chosen } = options;
  await queueMedia(database, owned, { fields, unitsLimit: null, idempotency: undefined, options: chosen });
  return owned;
}

/** Delivers one permit to the consumer. Returns whether it was acknowledged, and when it or the next one arrives. */
export async function deliver(
  mediaId: string,
  options: { bindings?: object; queue?: string } = {},
): Promise<Delivery> {
  const { bindings = env, queue = "veil-images" } = options;
  const sent = new HeldQueue();
  const delivery = await deliverJob(queue, mediaId, async (batch) => {
    await consumeImageJobs(batch, parseImageEnv({ ...bindings, IMAGE_JOBS: sent.binding }));
  });
  return { ...delivery, delaySeconds: delivery.delaySeconds ?? sent.secondsLeft };
}

/** The detector's answer with one head in the middle of the test picture. */
export function oneHead(): Response {
  const detection = { category: "heads", confidence: 0.9, box: [0.25, 0.25, 0.5, 0.5] };
  return Response.json({ frames: [{ width: 64, height: 48, detections: [detection] }], models: [] });
}

/** Replaces the detector. Each call gets the next answer, and the last one repeats. */
export function answerDetections(...answers: (() => Response | Promise<Response>)[]): void {
  let asked = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    // An unread body would keep the source's stream open.
    if (init?.body instanceof ReadableStream)
      await new Response(init.body).arrayBuffer().catch(() => undefined);
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer === undefined) throw new Error("No answer was given.");
    return await answer();
  });
}
