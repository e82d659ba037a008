import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { reconcile } from "../../src/work/maintenance/storage-reconciliation.service.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import type { MaskingOptions } from "../../src/records/masking/masking-options.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { sourceKey } from "../../src/records/media/media.objects.ts";
import { DAY_MS, HOUR_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { describeDetections } from "../../src/records/media-api/detections.service.ts";
import { describeStatus } from "../../src/records/media-api/status-details.service.ts";
import { findReview, listWaiting } from "../../src/records/review/review-queue.repository.ts";
import type { ConvertedFormat, ImageFormat } from "../../src/ground/vocabulary/media-values.ts";
import { writeBmp } from "../redaction-node/support/write-bmp.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { answerDetections, deliver, oneHead, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { retry, revise } from "../support/revise.ts";
import { quietBindings } from "../support/quiet-bindings.ts";

beginQuietly();

const database = openDatabase(env.DB, "primary");
const OUTPUT = ["output", "thumbnail"];

interface Upload {
  readonly source?: Uint8Array<ArrayBuffer>;
  readonly format?: ImageFormat;
  readonly sourceFormat?: ConvertedFormat;
  readonly options?: Partial<MaskingOptions>;
}

/** A photo whose detector did not answer until its last attempt was spent. It answers from then on. */
async function failedPhoto(upload: Upload = {}, accountId?: string): Promise<QueuedMedia> {
  const media = await queuedMedia(accountId ?? (await createAccount()).accountId, upload);
  await failNow(media);
  answerDetections(oneHead);
  return media;
}

async function failNow(media: QueuedMedia): Promise<void> {
  answerDetections(() => new Response(null, { status: 500 }));
  await env.DB.prepare("UPDATE media SET attempts = 8 WHERE id = ?").bind(media.mediaId).run();
  await deliver(media.mediaId);
  expect(await mediaState(media)).toMatchObject({ status: "failed", failureCode: "retries_spent" });
}

function bmp(): Uint8Array<ArrayBuffer> {
  const rows = Array.from({ length: 48 }, (_, y) => Array.from({ length: 64 }, (_x, x) => x * 3 + y * 1024));
  return Uint8Array.from(writeBmp(rows, { bits: 24 }));
}

async function remove(media: QueuedMedia): Promise<void> {
  const order = { nowMs: Date.now(), settledAtMs: Date.now() + 1, requestId: "req_test" };
  await deleteMedia(database, media, order);
}

test("a retry analyzes the source again and stores its result as any upload does", async () => {
  const media = await failedPhoto();
  const again = await retry(media);
  await deliver(again.mediaId);
  expect(await mediaState(again)).toEqual({
    status: "completed",
    failureCode: null,
    events: ["media.processed"],
    usage: { used: 1, reserved: 0 },
    objects: OUTPUT,
  });
  expect(await mediaState(media)).toMatchObject({
    status: "failed",
    objects: ["source"],
    events: ["media.failed"],
  });
  const { detections, revision_of: first } = await describeDetections(database, again);
  expect([detections.length, first]).toEqual([1, media.mediaId]);
  // The upload holds the source, so the retry does not report when it is deleted.
  expect((await describeStatus(database, again)).source_expires_at).toBeNull();
});

test("a retry can be revised, and a retry of a retry works", async () => {
  const media = await failedPhoto();
  const one = await retry(media);
  await failNow(one);
  expect((await mediaState(one)).objects).toEqual([]);
  answerDetections(oneHead);
  const two = await retry(one);
  await deliver(two.mediaId);
  expect(await mediaState(two)).toMatchObject({ status: "completed", usage: { used: 1, reserved: 0 } });
  const revision = await revise(two, { redact: "none" });
  await deliver(revision.mediaId);
  expect(await mediaState(revision)).toMatchObject({ status: "completed", objects: OUTPUT });
  expect((await describeDetections(database, revision)).revision_of).toBe(media.mediaId);
});

describe("the source stays with the first media", () => {
  test("while a retry waits, and goes once it has ended", async () => {
    const media = await failedPhoto();
    vi.setSystemTime(Date.now() + DAY_MS - 1000);
    const again = await retry(media);
    vi.setSystemTime(Date.now() + 2000);
    await sweep(quietBindings());
    expect((await mediaState(media)).objects).toEqual(["source"]);
    // Once the source is due for deletion, no retry can begin, although the source still exists.
    await expect(retry(media)).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    await deliver(again.mediaId);
    await sweep(quietBindings());
    expect(await mediaState(media)).toMatchObject({
      objects: [],
      events: ["media.failed", "media.source_deleted"],
    });
    expect(await mediaState(again)).toMatchObject({
      status: "completed",
      objects: OUTPUT,
      events: ["media.processed"],
    });
    const { source_available_until: until } = await describeDetections(database, again);
    expect(until).toBeNull();
    await expect(revise(again, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    const noted = await env.DB.prepare("SELECT source_expires_at AS at FROM media").first("at");
    expect(noted).toBeNull();
  });

  test("a retry whose first media is deleted fails if it has not ended, and stays if it has", async () => {
    const media = await failedPhoto();
    const ended = await retry(media);
    await deliver(ended.mediaId);
    const waiting = await retry(media);
    await remove(media);
    vi.setSystemTime(Date.now() + 1000);
    await sweep(quietBindings());
    await deliver(waiting.mediaId);
    expect(await mediaState(waiting)).toMatchObject({
      status: "failed",
      failureCode: "source_missing",
      events: ["media.failed"],
      objects: [],
      usage: { used: 1, reserved: 0 },
    });
    expect(await mediaState(ended)).toMatchObject({ status: "completed", objects: OUTPUT });
    for (const tried of [waiting, ended])
      await expect(retry(tried)).rejects.toMatchObject({
        details: { reason: tried === waiting ? "source_deleted" : "not_failed" },
      });
  });
});

describe("a source that is converted first", () => {
  const upload = { source: bmp(), sourceFormat: "bmp", format: "png" } as const;

  test("is converted by the retry, in its place", async () => {
    const media = await failedPhoto(upload);
    await env.MEDIA.put(sourceKey(media), bmp());
    const again = await retry(media);
    await deliver(again.mediaId);
    expect(await mediaState(again)).toMatchObject({ status: "completed", objects: OUTPUT });
    const stored = await (await env.MEDIA.get(sourceKey(media)))?.bytes();
    expect(stored?.subarray(1, 4)).toEqual(new TextEncoder().encode("PNG"));
  });

  test("is not brought back when it was deleted meanwhile", async () => {
    const media = await failedPhoto(upload);
    await env.MEDIA.put(sourceKey(media), bmp());
    const again = await retry(media);
    let isDeleted = false;
    const bucket = new Proxy(env.MEDIA, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return async (...values: unknown[]): Promise<unknown> => {
          const answer: unknown = await Reflect.apply(value, target, values);
          if (name !== "get" || isDeleted) return answer;
          isDeleted = true;
          await remove(media);
          return answer;
        };
      },
    });
    await deliver(again.mediaId, { bindings: { ...env, MEDIA: bucket } });
    expect(isDeleted).toBe(true);
    expect(await mediaState(again)).toMatchObject({ status: "failed", failureCode: "source_missing" });
    const bmpStill = await (await env.MEDIA.get(sourceKey(media)))?.bytes();
    expect(bmpStill?.subarray(0, 2)).toEqual(new TextEncoder().encode("BM"));
  });
});

test("a retry that was uploaded to be reviewed waits for review, as long as its source is kept", async () => {
  const media = await failedPhoto({ options: { isDetectOnly: true } });
  const again = await retry(media);
  await deliver(again.mediaId);
  const waiting = await listWaiting(database, media.accountId, { nowMs: Date.now(), limit: 10 });
  expect(waiting.map(({ row, source }) => [row.id, source?.id])).toEqual([[again.mediaId, media.mediaId]]);
  vi.setSystemTime(Date.now() + DAY_MS + HOUR_MS);
  await sweep(quietBindings());
  expect((await findReview(database, again))?.review.state).toBe("expired");
});

test("nothing of a retry is unknown to the comparison of files with records", async () => {
  const media = await failedPhoto();
  await deliver((await retry(media)).mediaId);
  vi.setSystemTime(Date.now() + 2 * HOUR_MS);
  await reconcile(env, database);
  const { results } = await env.DB.prepare("SELECT object_key FROM reconciliation_findings").all();
  expect(results).toEqual([]);
});

test("a consumer killed between any two steps of a retry leaves a job that is completed in the end", async () => {
  const undisturbed = faultyBindings(env, () => undefined);
  const upload = { source: bmp(), sourceFormat: "bmp", format: "png" } as const;
  const { accountId } = await createAccount();
  const failed = async (): Promise<QueuedMedia> => {
    const media = await failedPhoto(upload, accountId);
    await env.MEDIA.put(sourceKey(media), bmp());
    return media;
  };
  await deliver((await retry(await failed())).mediaId, { bindings: undisturbed.bindings });
  for (let killedAt = 1; killedAt <= undisturbed.calls(); killedAt++) {
    const media = await failed();
    const again = await retry(media);
    const killed = faultyBindings(env, (call) => (call >= killedAt ? new Error("killed") : undefined));
    await deliver(again.mediaId, { bindings: killed.bindings });
    vi.setSystemTime(Date.now() + 61_000);
    await sweep(quietBindings());
    for (let deliveries = 0; deliveries < 9; deliveries++) {
      const { delaySeconds } = await deliver(again.mediaId);
      if (delaySeconds === undefined) break;
      vi.setSystemTime(Date.now() + delaySeconds * 1000);
    }
    expect(await mediaState(again), `killed at storage call ${killedAt}`).toMatchObject({
      status: "completed",
      events: ["media.processed"],
      objects: OUTPUT,
      usage: { used: killedAt + 1, reserved: 0 },
    });
    expect((await mediaState(media)).objects).toEqual(["source"]);
  }
});
