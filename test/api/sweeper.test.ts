import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { recordDeadLetter } from "../../src/records/dead-letters/dead-letters.repository.ts";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { lockIdempotencyKey } from "../../src/records/idempotency/idempotency.repository.ts";
import { insertPending, noteMultipartUpload } from "../../src/records/uploads/upload.repository.ts";
import { holdMedia } from "../support/queued-jobs.ts";
import { createAccount } from "../support/accounts.ts";
import { call } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { png } from "../support/images.ts";
import { storedOf } from "../support/leftovers.ts";
import { field, filePart, multipart as formOf, pieces } from "../support/multipart.ts";
import { upload, uploaded } from "../support/uploads.ts";
import { pendingMedia } from "../support/pending-media.ts";

const NOW = Date.UTC(2026, 5, 1);
const MEBIBYTE = 1024 * 1024;
const database = openDatabase(env.DB, "primary");

let sent: string[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  sent = [];
  for (const table of ["media", "account_turns", "object_purges", "idempotency_keys", "dead_letters"])
    await env.DB.exec(`DELETE FROM ${table}`);
});

afterEach(() => {
  vi.useRealTimers();
});

const IMAGE_JOBS = {
  send: async (permit: { mediaId: string }) => {
    sent.push(permit.mediaId);
    await Promise.resolve();
  },
  sendBatch: async (permits: { body: { mediaId: string } }[]) => {
    sent.push(...permits.map(({ body }) => body.mediaId));
    await Promise.resolve();
  },
};

async function sweepAt(timeMs: number, replaced: object = {}): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(parseApiEnv({ ...env, IMAGE_JOBS, ...replaced }));
}

async function refuse(): Promise<never> {
  return await Promise.reject(new Error("The queue is out of reach."));
}

/** An upload that died: a pending record, a multipart upload with one part, no request. */
async function abandonedUpload(
  accountId: string,
): Promise<{ mediaId: string; multipart: R2MultipartUpload }> {
  const owned = { accountId, mediaId: newUuid() };
  await insertPending(database, pendingMedia(owned, { createdAt: NOW, periodStart: "2026-06-01" }));
  const multipart = await env.MEDIA.createMultipartUpload(`${accountId}/${owned.mediaId}/source`);
  await noteMultipartUpload(database, owned, multipart.uploadId);
  return { mediaId: owned.mediaId, multipart };
}

describe("jobs", () => {
  test("whose lease has run out are queued and sent again, not before", async () => {
    const { apiKey } = await createAccount();
    const { id } = await uploaded(apiKey);
    await holdMedia({ mediaId: id, leaseId: "lease_1", leaseExpiresAtMs: NOW + 5 * MINUTE_MS });
    await sweepAt(NOW + 5 * MINUTE_MS - 1);
    expect((await findMediaById(database, id))?.status).toBe("processing");
    expect(sent).toEqual([]);
    await sweepAt(NOW + 5 * MINUTE_MS);
    await sweepAt(NOW + 7 * MINUTE_MS);
    expect((await findMediaById(database, id))?.status).toBe("queued");
    expect(new Set(sent)).toEqual(new Set([id]));
  });

  test("whose message was lost are sent again, each time after a longer delay", async () => {
    const { apiKey } = await createAccount();
    const { id } = await uploaded(apiKey);
    await sweepAt(NOW + 1_000);
    expect(sent).toEqual([]);
    await sweepAt(NOW + 2 * MINUTE_MS);
    await sweepAt(NOW + 2 * MINUTE_MS + 1_000);
    expect(sent).toEqual([id]);
    await sweepAt(NOW + 4 * MINUTE_MS);
    expect(sent).toEqual([id, id]);
  });

  test("that cannot be sent are tried again at the next sweep", async () => {
    const { apiKey } = await createAccount();
    const { id } = await uploaded(apiKey);
    const failing = { send: refuse, sendBatch: refuse };
    await sweepAt(NOW + 2 * MINUTE_MS, { IMAGE_JOBS: failing });
    await sweepAt(NOW + 4 * MINUTE_MS);
    expect(sent).toEqual([id]);
  });
});

test("an abandoned upload goes after an hour, with its multipart upload", async () => {
  const { apiKey, accountId } = await createAccount();
  const { mediaId, multipart } = await abandonedUpload(accountId);
  await sweepAt(NOW + HOUR_MS);
  expect((await call(`/media/${mediaId}`, { apiKey })).status).toBe(200);
  await sweepAt(NOW + HOUR_MS + 1);
  expect((await call(`/media/${mediaId}`, { apiKey })).status).toBe(404);
  expect(await storedOf(accountId)).toEqual({ media: 0, objects: 0, keys: 0, purges: 0 });
  await expect(multipart.uploadPart(1, new Uint8Array(8))).rejects.toThrow(/10024|does not exist/);
});

test("an upload that still arrives is kept, however long it takes", async () => {
  const { apiKey } = await createAccount();
  const file = filePart(await png({ width: 4, height: 4, paddingBytes: 4 * MEBIBYTE }));
  const arriving = pieces(formOf("b", [file, field("categories[]", "heads")]), [MEBIBYTE / 2]);
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isFirst) await sweepAt(Date.now() + 20 * MINUTE_MS);
      isFirst = false;
      const next = arriving.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
  const response = await call("/media/redact", {
    method: "POST",
    apiKey,
    headers: { "Content-Type": "multipart/form-data; boundary=b", "Idempotency-Key": "slow" },
    body,
  });
  expect(Date.now()).toBeGreaterThan(NOW + 2 * HOUR_MS);
  expect(response.status).toBe(201);
});

test("what a running job writes after the deletion of its media goes once it can write no more", async () => {
  const { apiKey, accountId } = await createAccount();
  const { id } = await uploaded(apiKey);
  await call(`/media/${id}`, { method: "DELETE", apiKey });
  await env.MEDIA.put(`${accountId}/${id}/output`, "late");
  await sweepAt(NOW + 29 * MINUTE_MS);
  expect(await storedOf(accountId)).toMatchObject({ objects: 1, purges: 1 });
  await sweepAt(NOW + 31 * MINUTE_MS);
  expect(await storedOf(accountId)).toEqual({ media: 0, objects: 0, keys: 0, purges: 0 });
});

test("one deletion that cannot be carried out does not hold up the others, and is tried again", async () => {
  const { accountId } = await createAccount();
  const ids = Array.from({ length: 3 }, () => newUuid());
  for (const [index, id] of ids.entries()) {
    await env.MEDIA.put(`${accountId}/${id}/output`, "x");
    await env.DB.prepare(
      "INSERT INTO object_purges (media_id, account_id, requested_at, settled_at) VALUES (?, ?, ?, ?)",
    )
      .bind(id, accountId, 0, index)
      .run();
  }
  const MEDIA = {
    put: env.MEDIA.put.bind(env.MEDIA),
    delete: env.MEDIA.delete.bind(env.MEDIA),
    list: async (options: R2ListOptions) => {
      if (options.prefix?.includes(ids[0] ?? "") === true) throw new Error("R2 stumbles over this one.");
      return await env.MEDIA.list(options);
    },
  };
  await sweepAt(NOW, { MEDIA });
  expect(await storedOf(accountId)).toMatchObject({ objects: 1, purges: 1 });
  await sweepAt(NOW + 11 * MINUTE_MS);
  expect(await storedOf(accountId)).toMatchObject({ objects: 0, purges: 0 });
});

async function recorded(messageId: string, body: object): Promise<void> {
  await recordDeadLetter(database, {
    messageId,
    queue: "images",
    reason: "retries_spent",
    body: JSON.stringify(body),
    media: null,
    recordedAt: NOW,
  });
}

async function askToRedrive(messageId: string): Promise<void> {
  await env.DB.prepare("UPDATE dead_letters SET redrive_requested_at = ? WHERE message_id = ?")
    .bind(NOW, messageId)
    .run();
}

describe("dead letters", () => {
  test("are sent again once an operator asks, each once, and no others", async () => {
    await recorded("asked", { mediaId: "media_of_asked", requestId: "req_1" });
    await recorded("left", { mediaId: "media_of_left", requestId: "req_2" });
    await askToRedrive("asked");
    await sweepAt(NOW + 1_000);
    await sweepAt(NOW + MINUTE_MS);
    expect(sent).toEqual(["media_of_asked"]);
  });

  test("that cannot be sent are tried again by the next sweep, and hold up no others", async () => {
    await recorded("broken", { mediaId: "media_of_broken", requestId: "req_1" });
    await recorded("whole", { mediaId: "media_of_whole", requestId: "req_2" });
    await askToRedrive("broken");
    await askToRedrive("whole");
    const failing = {
      send: async (job: { mediaId: string }) => {
        if (job.mediaId === "media_of_broken") throw new Error("The queue is out of reach.");
        await IMAGE_JOBS.send(job);
      },
    };
    await sweepAt(NOW + 1_000, { IMAGE_JOBS: failing });
    expect(sent).toEqual(["media_of_whole"]);
    await sweepAt(NOW + MINUTE_MS);
    expect(sent).toEqual(["media_of_whole", "media_of_broken"]);
  });
});

test("idempotency keys go after 24 hours", async () => {
  const { apiKey, accountId } = await createAccount();
  await upload(apiKey, {}, { "Idempotency-Key": "k" });
  await sweepAt(NOW + DAY_MS - 1);
  expect((await storedOf(accountId))["keys"]).toBe(1);
  await sweepAt(NOW + DAY_MS);
  expect((await storedOf(accountId))["keys"]).toBe(0);
});

describe("when storage fails once at any call", () => {
  const LATER = NOW + 2 * DAY_MS;

  /** One item for each task of the sweeper. */
  async function litter(): Promise<{ accountId: string; stranded: string; leased: string }> {
    vi.setSystemTime(NOW);
    const { apiKey, accountId } = await createAccount();
    const { id: stranded } = await uploaded(apiKey);
    const { id: leased } = await uploaded(apiKey);
    await holdMedia({ mediaId: leased, leaseId: "l", leaseExpiresAtMs: NOW + 1 });
    await abandonedUpload(accountId);
    await env.DB.prepare(
      "INSERT INTO object_purges (media_id, account_id, requested_at, settled_at) VALUES (?, ?, 0, 0)",
    )
      .bind(newUuid(), accountId)
      .run();
    await lockIdempotencyKey(database, { accountId, key: "k", lockId: "dead" }, NOW);
    return { accountId, stranded, leased };
  }

  async function undone({ accountId, stranded, leased }: Awaited<ReturnType<typeof litter>>) {
    const { media = 0, purges = 0, keys = 0 } = await storedOf(accountId);
    const isLeased = (await findMediaById(database, leased))?.status === "processing";
    return {
      lease: isLeased ? 1 : 0,
      job: sent.includes(stranded) ? 0 : 1,
      upload: media - 2,
      purge: purges,
      key: keys,
    };
  }

  test("one chore at most is left undone, and the next sweeps do it", async () => {
    const clean = faultyBindings(env, () => undefined);
    await litter();
    await sweepAt(LATER, clean.bindings);
    const calls = clean.calls();
    expect(calls).toBeGreaterThan(8);
    for (let failing = 1; failing <= calls; failing++) {
      for (const when of ["before", "after"] as const) {
        const work = await litter();
        const faulty = faultyBindings(
          env,
          (count) => (count === failing ? new Error("Storage failed.") : undefined),
          when,
        );
        const { DB, MEDIA } = faulty.bindings as { DB: D1Database; MEDIA: R2Bucket };
        await sweepAt(LATER, { DB, MEDIA });
        const left = await undone(work);
        const unfinished = Object.entries(left).filter(([, count]) => count > 0);
        // The purges delete the objects of a dropped upload.
        expect([failing, unfinished.map(([name]) => name)]).toSatisfy(() => unfinished.length <= 1);
        await sweepAt(LATER + 11 * MINUTE_MS);
        expect([failing, when, await undone(work)]).toEqual([
          failing,
          when,
          { lease: 0, job: 0, upload: 0, purge: 0, key: 0 },
        ]);
        await env.DB.prepare("DELETE FROM media WHERE account_id = ?").bind(work.accountId).run();
      }
    }
  });
});

test("a sweep with nothing to do is logged once in ten minutes, and one that did something always", async () => {
  const sweeps: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => {
    if (line.includes('"event":"sweep"')) sweeps.push((JSON.parse(line) as { time: string }).time);
  });
  const quiet = NOW + DAY_MS + 6 * HOUR_MS;
  await sweepAt(quiet - MINUTE_MS);
  sweeps.length = 0;
  for (let minutes = 0; minutes < 30; minutes += 1) await sweepAt(quiet + minutes * MINUTE_MS);
  expect(sweeps).toEqual([0, 10, 20].map((minutes) => new Date(quiet + minutes * MINUTE_MS).toISOString()));
  await abandonedUpload((await createAccount()).accountId);
  await sweepAt(quiet + 31 * MINUTE_MS);
  await sweepAt(quiet + 32 * MINUTE_MS);
  expect(sweeps.slice(3)).toEqual([new Date(quiet + 31 * MINUTE_MS).toISOString()]);
  vi.restoreAllMocks();
});

test("deliveries that wait for their next attempt keep no sweep from being quiet, and due ones are a backlog", async () => {
  const { accountId } = await createAccount();
  const quiet = NOW + 2 * DAY_MS + 6 * HOUR_MS;
  const dueAt = quiet + 5 * MINUTE_MS;
  const logged: string[] = [];
  await sweepAt(quiet);
  await env.DB.prepare(
    `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, origin, status, next_attempt_at, created_at)
     VALUES ('dlv_later', ?1, 'whe_none', 'evt_none', 'event', 'pending', ?2, ?3)`,
  )
    .bind(accountId, dueAt, quiet)
    .run();
  vi.spyOn(console, "log").mockImplementation((line: string) => {
    logged.push((JSON.parse(line) as { event: string }).event);
  });
  for (let minutes = 1; minutes < 5; minutes += 1) await sweepAt(quiet + minutes * MINUTE_MS);
  expect(logged).toEqual([]);
  await sweepAt(dueAt);
  expect(logged).toEqual(expect.arrayContaining(["backlog", "sweep"]));
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM webhook_deliveries WHERE id = 'dlv_later'").run();
});
