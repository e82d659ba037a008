import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { MAX_ATTEMPTS } from "../../src/work/jobs/retry-or-fail.ts";
import { outputKey, sourceKey, thumbnailKey } from "../../src/records/media/media.objects.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { eventSchema } from "../../src/records/media/media-events.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { answerDetections, deliver, oneHead, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import { quietBindings } from "../support/quiet-bindings.ts";

const LEASE_MS = 60_000;

const COMPLETED = {
  status: "completed",
  failureCode: null,
  events: ["media.processed"],
  usage: { used: 1, reserved: 0 },
  objects: ["output", "source", "thumbnail"],
};

beginQuietly();

async function newMedia(options: Parameters<typeof queuedMedia>[1] = {}): Promise<QueuedMedia> {
  const { accountId } = await createAccount();
  return await queuedMedia(accountId, options);
}

/** Delivers permits until there are none, and advances the clock by each delay. */
async function deliverUntilDone(media: QueuedMedia, bindings: object = env): Promise<number> {
  for (let deliveries = 1; deliveries < 50; deliveries++) {
    const { delaySeconds } = await deliver(media.mediaId, { bindings });
    if (delaySeconds === undefined) return deliveries;
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
  }
  throw new Error("Permits never ended.");
}

test("an image is analyzed, redacted, stored and completed with its event", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  expect(await deliver(media.mediaId)).toMatchObject({ isAcknowledged: true });
  expect(await mediaState(media)).toEqual(COMPLETED);
  const output = await env.MEDIA.get(outputKey(media));
  const bytes = new Uint8Array((await output?.arrayBuffer()) ?? new ArrayBuffer(0));
  expect(bytes.slice(1, 4)).toEqual(new TextEncoder().encode("PNG"));
  const hash = await env.DB.prepare("SELECT output_sha256 FROM media WHERE id = ?")
    .bind(media.mediaId)
    .first("output_sha256");
  const size = env.DB.prepare("SELECT output_size_bytes, redacted_size_bytes FROM media WHERE id = ?");
  expect(await size.bind(media.mediaId).first()).toEqual({
    output_size_bytes: bytes.length,
    redacted_size_bytes: bytes.length,
  });
  expect(hash).toBe(toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))));
  const found = await env.DB.prepare(
    "SELECT account_id AS accountId, detections FROM media_detections WHERE media_id = ?",
  )
    .bind(media.mediaId)
    .first<{ accountId: string; detections: string }>();
  expect(found?.accountId).toBe(media.accountId);
  expect(JSON.parse(found?.detections ?? "null")).toEqual([
    {
      id: `det_${media.mediaId.slice(-12)}_1`,
      category: "heads",
      box: [0.25, 0.25, 0.5, 0.5],
      confidence: 0.9,
    },
  ]);
  const event = await env.DB.prepare("SELECT payload FROM events WHERE media_id = ?")
    .bind(media.mediaId)
    .first<{ payload: string }>();
  const payload = eventSchema.parse(JSON.parse(event?.payload ?? "null"));
  expect(payload).toMatchObject({ event: "media.processed", status: "completed", media_id: media.mediaId });
  expect(payload.media?.download_url).toBe(`http://veil.test/api/v1/media/${media.mediaId}/download`);
});

test("a small version of the output is stored beside it", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  await deliver(media.mediaId);
  const thumbnail = await (await env.MEDIA.get(thumbnailKey(media)))?.arrayBuffer();
  expect(new TextDecoder().decode(thumbnail?.slice(8, 12))).toBe("WEBP");
});

test("a file is complete without its small version, where that cannot be stored", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  const MEDIA = {
    get: env.MEDIA.get.bind(env.MEDIA),
    head: env.MEDIA.head.bind(env.MEDIA),
    list: env.MEDIA.list.bind(env.MEDIA),
    put: async (key: string, ...rest: [never]) => {
      if (key === thumbnailKey(media)) throw new Error("R2 stumbles.");
      return await env.MEDIA.put(key, ...rest);
    },
  };
  await deliver(media.mediaId, { bindings: { ...env, MEDIA } });
  expect(await mediaState(media)).toEqual({ ...COMPLETED, objects: ["output", "source"] });
});

test("the same message delivered twice, at once or later, is counted once", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  await Promise.all([deliver(media.mediaId), deliver(media.mediaId), deliver(media.mediaId)]);
  await deliver(media.mediaId);
  expect(await mediaState(media)).toEqual(COMPLETED);
});

test("a consumer killed between any two steps leaves a job that the sweeper and one more delivery complete", async () => {
  answerDetections(oneHead);
  const undisturbed = faultyBindings(env, () => undefined);
  await deliver((await newMedia()).mediaId, { bindings: undisturbed.bindings });
  expect(undisturbed.calls()).toBeGreaterThan(5);
  for (let killedAt = 1; killedAt <= undisturbed.calls(); killedAt++) {
    const media = await newMedia();
    const killed = faultyBindings(env, (call) => (call >= killedAt ? new Error("killed") : undefined));
    await deliver(media.mediaId, { bindings: killed.bindings });
    vi.setSystemTime(Date.now() + LEASE_MS + 1000);
    await sweep(quietBindings());
    await deliverUntilDone(media);
    expect(await mediaState(media), `killed at storage call ${killedAt}`).toEqual(COMPLETED);
  }
});

test("storage failing once at any call changes nothing in the end", async () => {
  answerDetections(oneHead);
  const undisturbed = faultyBindings(env, () => undefined);
  await deliver((await newMedia()).mediaId, { bindings: undisturbed.bindings });
  for (let failedAt = 1; failedAt <= undisturbed.calls(); failedAt++) {
    const media = await newMedia();
    const failing = faultyBindings(env, (call) =>
      call === failedAt ? new Error("D1 or R2 failed") : undefined,
    );
    await deliverUntilDone(media, failing.bindings);
    expect(await mediaState(media), `failed at storage call ${failedAt}`).toEqual(COMPLETED);
  }
});

test("a detector that is down for a minute delays the job and no more", async () => {
  const backAtMs = START_MS + 60_000;
  answerDetections(() => {
    if (Date.now() < backAtMs) throw new TypeError("connection refused");
    return oneHead();
  });
  const media = await newMedia();
  await deliverUntilDone(media);
  expect(await mediaState(media)).toEqual(COMPLETED);
});

test.for([
  { name: "not JSON", answer: () => new Response("<html>") },
  { name: "another shape", answer: () => Response.json({ frames: "many" }) },
  { name: "no frame", answer: () => Response.json({ frames: [] }) },
  {
    name: "another picture's size",
    answer: () => Response.json({ frames: [{ width: 1, height: 1, detections: [] }] }),
  },
  {
    name: "a box far outside",
    answer: () =>
      Response.json({
        frames: [
          { width: 64, height: 48, detections: [{ category: "heads", confidence: 1, box: [5, 5, 1, 1] }] },
        ],
      }),
  },
  { name: "an error", answer: () => new Response("no", { status: 500 }) },
])("a detector that keeps answering $name fails the media after all retries", async ({ answer }) => {
  answerDetections(answer);
  const media = await newMedia();
  const deliveries = await deliverUntilDone(media);
  expect(deliveries).toBe(MAX_ATTEMPTS);
  expect(await mediaState(media)).toEqual({
    status: "failed",
    failureCode: "retries_spent",
    events: ["media.failed"],
    usage: { used: 0, reserved: 0 },
    objects: ["source"],
  });
});

test("garbage once and then an answer completes the media", async () => {
  answerDetections(() => new Response("<html>"), oneHead);
  const media = await newMedia();
  await deliverUntilDone(media);
  expect(await mediaState(media)).toEqual(COMPLETED);
});

test.for([
  { details: { frames: ["Frame 0 does not decode."] }, code: "source_undecodable" },
  { details: { categories: ["tattoos is not served."] }, code: "categories_unserved" },
])("a detector's refusal ends the media at once as $code", async ({ details, code }) => {
  answerDetections(() => Response.json({ error: { code: "validation_failed", details } }, { status: 422 }));
  const media = await newMedia();
  expect(await deliverUntilDone(media)).toBe(1);
  expect(await mediaState(media)).toMatchObject({
    status: "failed",
    failureCode: code,
    events: ["media.failed"],
  });
});

test("a source whose body breaks off while it is redacted is tried again", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  let opened = 0;
  const MEDIA = new Proxy(env.MEDIA, {
    get(bucket, name) {
      if (name !== "get") {
        const value: unknown = Reflect.get(bucket, name, bucket);
        return typeof value === "function" ? (value.bind(bucket) as unknown) : value;
      }
      return async (key: string) => {
        const object = await bucket.get(key);
        opened += 1;
        // The first reading is the detector's; the second is the kernel's.
        if (object === null || opened !== 2) return object;
        const whole = new Uint8Array(await object.arrayBuffer());
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(whole.slice(0, 60));
            controller.error(new Error("Network connection lost."));
          },
        });
        return { body, size: whole.length };
      };
    },
  });
  expect(await deliverUntilDone(media, { ...env, MEDIA, HELD_PHOTO_BYTES: "0" })).toBe(2);
  expect(await mediaState(media)).toEqual(COMPLETED);
});

test("a refusal that names no frame and no category may pass", async () => {
  answerDetections(
    () => Response.json({ error: { details: { body: ["The body broke off."] } } }, { status: 422 }),
    oneHead,
  );
  const media = await newMedia();
  await deliverUntilDone(media);
  expect(await mediaState(media)).toEqual(COMPLETED);
});

test("a source that is gone ends the media at once", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  await env.MEDIA.delete(sourceKey(media));
  expect(await deliverUntilDone(media)).toBe(1);
  expect(await mediaState(media)).toMatchObject({ status: "failed", failureCode: "source_missing" });
});

test("a job that takes its worker down each time fails once its tries are spent", async () => {
  answerDetections(oneHead);
  const media = await newMedia();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const dying = faultyBindings(env, (call) => (call > 2 ? new Error("out of memory") : undefined));
    await deliver(media.mediaId, { bindings: dying.bindings });
    vi.setSystemTime(Date.now() + LEASE_MS + 1000);
    await sweep(quietBindings());
  }
  await deliverUntilDone(media);
  expect(await mediaState(media)).toMatchObject({
    status: "failed",
    failureCode: "worker_lost",
    events: ["media.failed"],
    usage: { used: 0, reserved: 0 },
  });
});

test("a source that is no picture fails, and nothing of it is handed back", async () => {
  answerDetections(oneHead);
  const media = await newMedia({ source: new Uint8Array(200).fill(65) });
  await deliverUntilDone(media);
  expect(await mediaState(media)).toMatchObject({ status: "failed", objects: ["source"] });
});

describe("where no source is to be kept", () => {
  const atOnce = { ...env, SOURCE_RETENTION_HOURS: "0" };

  test("it goes as soon as the media is completed", async () => {
    const media = await newMedia();
    answerDetections(oneHead);
    await deliver(media.mediaId, { bindings: atOnce });
    expect(await mediaState(media)).toMatchObject({
      status: "completed",
      events: ["media.processed", "media.source_deleted"],
      objects: ["output", "thumbnail"],
    });
  });

  test("it goes as soon as the media has failed", async () => {
    const media = await newMedia();
    const error = { code: "validation_failed", details: { frames: ["Frame 0 does not decode."] } };
    answerDetections(() => Response.json({ error }, { status: 422 }));
    await deliver(media.mediaId, { bindings: atOnce });
    expect(await mediaState(media)).toMatchObject({
      status: "failed",
      events: ["media.failed", "media.source_deleted"],
      objects: [],
    });
  });

  test("the account's own time comes before the service's", async () => {
    const media = await newMedia();
    await env.DB.prepare("UPDATE accounts SET source_retention_hours = 0 WHERE id = ?")
      .bind(media.accountId)
      .run();
    answerDetections(oneHead);
    await deliver(media.mediaId);
    expect((await mediaState(media)).objects).toEqual(["output", "thumbnail"]);
  });

  test("a source that storage holds on to goes with the next sweep", async () => {
    const media = await newMedia();
    answerDetections(oneHead);
    const MEDIA = {
      get: env.MEDIA.get.bind(env.MEDIA),
      head: env.MEDIA.head.bind(env.MEDIA),
      put: env.MEDIA.put.bind(env.MEDIA),
      list: async () => await Promise.reject(new Error("R2 stumbles.")),
    };
    await deliver(media.mediaId, { bindings: { ...atOnce, MEDIA } });
    expect(await mediaState(media)).toMatchObject({
      status: "completed",
      objects: ["output", "source", "thumbnail"],
    });
    await sweep(quietBindings());
    expect((await mediaState(media)).objects).toEqual(["output", "thumbnail"]);
  });
});

test("a media deleted while its job runs leaves nothing behind", async () => {
  const media = await newMedia();
  answerDetections(async () => {
    const times = { nowMs: Date.now(), settledAtMs: Date.now() + 1, requestId: "req_test" };
    await deleteMedia(openDatabase(env.DB, "primary"), media, times);
    return oneHead();
  });
  expect(await deliver(media.mediaId)).toMatchObject({ isAcknowledged: true });
  vi.setSystemTime(Date.now() + 1000);
  await sweep(quietBindings());
  expect(await mediaState(media)).toEqual({
    status: undefined,
    failureCode: null,
    events: ["media.source_deleted"],
    usage: { used: 0, reserved: 0 },
    objects: [],
  });
});

test("a message that its queue has given up is recorded once", async () => {
  const media = await newMedia();
  await deliver(media.mediaId, { queue: "veil-images-dead" });
  await deliver(media.mediaId, { queue: "veil-images-dead" });
  const letters = await env.DB.prepare(
    "SELECT queue, reason, account_id FROM dead_letters WHERE media_id = ?",
  )
    .bind(media.mediaId)
    .all();
  expect(letters.results).toEqual([
    { queue: "images", reason: "retries_spent", account_id: media.accountId },
  ]);
});
