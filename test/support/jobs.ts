import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { consumeImageJobs } from "../../src/images/image-jobs.consumer.ts";
import { sourceKey } from "../../src/media/media.objects.ts";
import type { RedactionCategory } from "../../src/media/media.values.ts";
import { nowMs } from "../../src/platform/clock.ts";
import { openDatabase } from "../../src/platform/database.ts";
import { parseImageEnv } from "../../src/platform/env.ts";
import { newUuid } from "../../src/platform/ids.ts";
import { insertPending, queueMedia } from "../../src/uploads/uploads.repository.ts";
import { png } from "./images.ts";
import { pendingMedia } from "./pending-media.ts";

const PERIOD_START = "2026-01-01";

export interface QueuedMedia {
  readonly mediaId: string;
  readonly accountId: string;
}

/** A queued media with its source stored, as an upload leaves it. */
export async function queuedMedia(
  accountId: string,
  options: { source?: Uint8Array<ArrayBuffer>; categories?: RedactionCategory[] } = {},
): Promise<QueuedMedia> {
  const { source = await png({ width: 64, height: 48 }), categories = ["heads"] } = options;
  const owned = { accountId, mediaId: newUuid() };
  const database = openDatabase(env.DB, "primary");
  await env.MEDIA.put(sourceKey(owned), source);
  await insertPending(database, pendingMedia(owned, { createdAt: nowMs(), periodStart: PERIOD_START }));
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
  await queueMedia(database, owned, { fields, unitsLimit: null, idempotency: undefined });
  return owned;
}

/** Delivers one message of a media's job to the consumer; says whether it was acknowledged or comes again. */
export async function deliver(
  mediaId: string,
  options: { bindings?: object; queue?: string } = {},
): Promise<{ isAcknowledged: boolean; delaySeconds: number | undefined }> {
  const { bindings = env, queue = "veil-images" } = options;
  const batch = createMessageBatch(queue, [
    { id: `message-${mediaId}`, timestamp: nowMs(), attempts: 1, body: { mediaId, requestId: "req_test" } },
  ]);
  const context = createExecutionContext();
  let delaySeconds: number | undefined;
  const messages = batch.messages.map((message) => ({
    id: message.id,
    timestamp: message.timestamp,
    body: message.body,
    attempts: message.attempts,
    ack: () => {
      message.ack();
    },
    // The result of a batch does not tell the delays.
    retry: (retryOptions?: QueueRetryOptions) => {
      delaySeconds = retryOptions?.delaySeconds;
      message.retry(retryOptions);
    },
  }));
  await consumeImageJobs({ ...batch, queue, messages }, parseImageEnv(bindings));
  const result = await getQueueResult(batch, context);
  return { isAcknowledged: result.explicitAcks.length === 1, delaySeconds };
}

/** What a media and everything around it look like at the end. */
export async function inspect({ mediaId, accountId }: QueuedMedia) {
  const row = await env.DB.prepare("SELECT status, attempts, failure_code FROM media WHERE id = ?")
    .bind(mediaId)
    .first<{ status: string; attempts: number; failure_code: string | null }>();
  const events = await env.DB.prepare("SELECT kind FROM events WHERE media_id = ?")
    .bind(mediaId)
    .all<{ kind: string }>();
  const usage = await env.DB.prepare(
    "SELECT used_units AS used, reserved_units AS reserved FROM usage WHERE account_id = ?",
  )
    .bind(accountId)
    .first<{ used: number; reserved: number }>();
  const objects = await env.MEDIA.list({ prefix: `${accountId}/${mediaId}/` });
  return {
    status: row?.status,
    failureCode: row?.failure_code ?? null,
    events: events.results.map(({ kind }) => kind),
    usage,
    objects: objects.objects.map(({ key }) => key.split("/").at(-1)),
  };
}

/** The answer of a detector that finds one head in the middle of the test picture. */
export function oneHead(): Response {
  const detection = { category: "heads", confidence: 0.9, box: [0.25, 0.25, 0.5, 0.5] };
  return Response.json({ frames: [{ width: 64, height: 48, detections: [detection] }], models: [] });
}

/** Replaces the detector; each call gets the next answer, the last one stays. */
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
