import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { outputKey, sourceKey } from "../../src/records/media/media.objects.ts";
import type { NewMedia } from "../../src/records/media/media.repository.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { reconcile } from "../../src/work/maintenance/storage-reconciliation.service.ts";
import { insertPending } from "../../src/records/uploads/upload.repository.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { pendingMedia } from "../support/pending-media.ts";

/** R2 sets object times by its own clock, so the nights of these tests follow the real clock. */
const TONIGHT = Math.floor(Date.now() / DAY_MS) * DAY_MS + 2 * DAY_MS + 3 * HOUR_MS;
const LONG_AGO = Date.now() - DAY_MS;
const database = openDatabase(env.DB, "primary");
let accountId: string;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: TONIGHT });
  for (const table of ["media", "object_purges", "reconciliation_findings", "reconciliations"])
    await env.DB.exec(`DELETE FROM ${table}`);
  for (;;) {
    const { objects } = await env.MEDIA.list();
    if (objects.length === 0) break;
    await env.MEDIA.delete(objects.map(({ key }) => key));
  }
  ({ accountId } = await createAccount());
});

afterEach(() => {
  vi.useRealTimers();
});

/** The stored results that revisions of a video use. */
const KEPT = [
  "analyse-0-12/coarse-gzip.00000",
  "candidates.json",
  "kept.json",
  "plan.json",
  "tracks-10.json",
].map((name) => `work/${name}`);

/** A completed media item with both objects, unless `fields` or `objects` say otherwise. */
async function media(
  fields: Partial<Omit<NewMedia, "leaseExpiresAt">> = {},
  objects: readonly string[] = ["output", "source"],
) {
  const owned = { accountId, mediaId: newUuid() };
  await insertPending(database, {
    ...pendingMedia(owned, { createdAt: LONG_AGO, periodStart: "2026-06-01" }),
    status: "completed",
    processedAt: LONG_AGO,
    outputSizeBytes: 1,
    sourceExpiresAt: TONIGHT + DAY_MS,
    outputExpiresAt: TONIGHT + DAY_MS,
    ...fields,
  });
  for (const name of objects) await env.MEDIA.put(`${accountId}/${owned.mediaId}/${name}`, "x");
  return owned;
}

async function findings(): Promise<Record<string, string>> {
  const { results } = await env.DB.prepare("SELECT object_key, kind FROM reconciliation_findings").all<{
    object_key: string;
    kind: string;
  }>();
  return Object.fromEntries(results.map((row) => [row.object_key, row.kind]));
}

async function lastRun() {
  return await env.DB.prepare("SELECT * FROM reconciliations ORDER BY started_at DESC").first();
}

async function runAll(): Promise<number> {
  let runs = 0;
  do {
    runs += 1;
    await reconcile(parseApiEnv(env), database);
  } while ((await lastRun())?.["finished_at"] === null && runs < 50);
  return runs;
}

test("what belongs together is not reported", async () => {
  await media();
  await media({ sourceDeletedAt: LONG_AGO, sourceExpiresAt: null }, ["output", "thumbnail"]);
  await media({ sourceDeletedAt: LONG_AGO, sourceExpiresAt: null, outputSizeBytes: null }, []);
  await media({ status: "queued", processedAt: null, outputSizeBytes: null, availableAt: LONG_AGO }, [
    "source",
  ]);
  await media({ status: "processing", processedAt: null, outputSizeBytes: null, mediaType: "video" }, [
    "source",
    "output",
    "work/render-0-1/packets.00000",
  ]);
  await media({ mediaType: "video" }, ["detections.00000", "output", "source", ...KEPT]);
  await media({ status: "failed", processedAt: null, failedAt: LONG_AGO, outputSizeBytes: null }, ["source"]);
  await media({ status: "pending", processedAt: null, outputSizeBytes: null }, []);
  expect(await runAll()).toBe(1);
  expect(await findings()).toEqual({});
  expect(await lastRun()).toMatchObject({
    objects_checked: 12 + KEPT.length,
    bytes_checked: 12 + KEPT.length,
    records_checked: 7,
    objects_without_record: 0,
    records_without_object: 0,
    finished_at: TONIGHT,
  });
});

test("a thumbnail whose output is gone is found", async () => {
  const owned = await media({ outputSizeBytes: null, outputExpiresAt: null }, ["source", "thumbnail"]);
  await runAll();
  expect(await findings()).toEqual({
    [`${accountId}/${owned.mediaId}/thumbnail`]: "object_without_record",
  });
});

test("what steps of a video stored is found once it has ended, but for what revisions are made from", async () => {
  const left = ["work/render-0-1/packets.00000", "work/analyse-0-1/signatures.00000"];
  const video = await media({ mediaType: "video" }, ["output", "source", ...KEPT, ...left]);
  const expired = { sourceDeletedAt: LONG_AGO, sourceExpiresAt: null };
  const gone = await media({ mediaType: "video", ...expired }, ["detections.00000", "output", ...KEPT]);
  await runAll();
  const found = [
    ...left.map((name) => `${accountId}/${video.mediaId}/${name}`),
    ...KEPT.map((name) => `${accountId}/${gone.mediaId}/${name}`),
  ];
  expect(await findings()).toEqual(Object.fromEntries(found.map((key) => [key, "object_without_record"])));
});

test("objects without a record are found, whatever their key", async () => {
  const orphan = { accountId, mediaId: newUuid() };
  const expired = await media({ sourceDeletedAt: LONG_AGO, sourceExpiresAt: null });
  const outputGone = await media({ outputSizeBytes: null });
  const stranger = await createAccount();
  const kept = await media();
  const elsewhere = `${stranger.accountId}/${kept.mediaId}/source`;
  for (const key of [
    sourceKey(orphan),
    `${accountId}/${orphan.mediaId}/segments/1`,
    elsewhere,
    "junk",
    "zzz/junk",
  ])
    await env.MEDIA.put(key, "x");
  await runAll();
  expect(await findings()).toEqual({
    [sourceKey(orphan)]: "object_without_record",
    [`${accountId}/${orphan.mediaId}/segments/1`]: "object_without_record",
    [sourceKey(expired)]: "object_without_record",
    [outputKey(outputGone)]: "object_without_record",
    [elsewhere]: "object_without_record",
    junk: "object_without_record",
    "zzz/junk": "object_without_record",
  });
});

test("records without an object are found", async () => {
  const noSource = await media({}, ["output"]);
  const noOutput = await media({}, ["source"]);
  const nothing = await media({}, []);
  const queued = await media({ status: "queued", processedAt: null, outputSizeBytes: null }, []);
  await runAll();
  expect(await findings()).toEqual({
    [sourceKey(noSource)]: "record_without_object",
    [outputKey(noOutput)]: "record_without_object",
    [sourceKey(nothing)]: "record_without_object",
    [outputKey(nothing)]: "record_without_object",
    [sourceKey(queued)]: "record_without_object",
  });
});

describe("what may be seen half is left to the next night", () => {
  test("objects and records of the last hour, and those that are due for deletion", async () => {
    const now = Date.now();
    await media({ createdAt: now, processedAt: now }, []);
    await media({ status: "queued", processedAt: null, outputSizeBytes: null, availableAt: now }, []);
    await media({ sourceExpiresAt: now, outputExpiresAt: now }, []);
    const purged = { accountId, mediaId: newUuid() };
    await env.MEDIA.put(sourceKey(purged), "x");
    await env.DB.prepare(
      "INSERT INTO object_purges (media_id, account_id, requested_at, settled_at) VALUES (?, ?, 0, 0)",
    )
      .bind(purged.mediaId, accountId)
      .run();
    await runAll();
    expect(await findings()).toEqual({});
  });

  test("an object that has just been written", async () => {
    vi.useRealTimers();
    await env.MEDIA.put(sourceKey({ accountId, mediaId: newUuid() }), "x");
    await reconcile(parseApiEnv(env), database);
    expect(await findings()).toEqual({});
  });
});

/** Runs the reconciliation at a time. Returns how many reconciliations there are then. */
async function begun(atMs: number): Promise<number> {
  vi.setSystemTime(atMs);
  await reconcile(parseApiEnv(env), database);
  const row = await env.DB.prepare("SELECT count(*) AS total FROM reconciliations").first<{
    total: number;
  }>();
  return row?.total ?? 0;
}

test("it begins once a night, after three in UTC", async () => {
  expect(await begun(TONIGHT)).toBe(1);
  expect(await begun(TONIGHT + MINUTE_MS)).toBe(1);
  expect(await begun(TONIGHT + DAY_MS - 1)).toBe(1);
  expect(await begun(TONIGHT + DAY_MS)).toBe(2);
  expect(await begun(TONIGHT + 32 * DAY_MS)).toBe(1);
});

/** The bucket with pages of three objects, to simulate a much fuller one. */
function smallPages(): R2Bucket {
  return new Proxy(env.MEDIA, {
    get(target, name) {
      if (name === "list")
        return async (options: R2ListOptions) => await target.list({ ...options, limit: 3 });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Media items of all kinds, and the expected findings. */
async function scene(): Promise<Record<string, string>> {
  const wanted: Record<string, string> = {};
  for (let turn = 0; turn < 4; turn++) {
    await media();
    wanted[sourceKey(await media({}, ["output"]))] = "record_without_object";
    const orphan = sourceKey({ accountId, mediaId: newUuid() });
    await env.MEDIA.put(orphan, "x");
    wanted[orphan] = "object_without_record";
    const nothing = await media({}, []);
    wanted[sourceKey(nothing)] = wanted[outputKey(nothing)] = "record_without_object";
    const found = [0, 1, 2, 3].map((piece) => `detections.0000${piece}`);
    const video = [...found, "output", "source", "work/analyse-0-1/coarse.00000", "work/kept.json"];
    await media({ mediaType: "video" }, video);
    wanted[
      sourceKey(
        await media(
          { mediaType: "video" },
          video.filter((name) => name !== "source"),
        ),
      )
    ] = "record_without_object";
  }
  await env.MEDIA.put("aaa", "x");
  await env.MEDIA.put("zzz", "x");
  return { ...wanted, aaa: "object_without_record", zzz: "object_without_record" };
}

async function runInSmallPages(): Promise<void> {
  for (let runs = 0; runs < 200; runs++) {
    await reconcile(parseApiEnv({ ...env, MEDIA: smallPages() }), database).catch(() => 0);
    if (((await lastRun())?.["finished_at"] ?? null) !== null) return;
  }
  throw new Error("The reconciliation has no end.");
}

describe("over several pages", () => {
  test("the findings are the same", async () => {
    const wanted = await scene();
    await runInSmallPages();
    expect(await findings()).toEqual(wanted);
    expect(await lastRun()).toMatchObject({ objects_without_record: 6, records_without_object: 16 });
  });

  test("the findings are the same when runs die anywhere", async () => {
    const wanted = await scene();
    let calls = 0;
    const faulty = faultyBindings(env, () => (calls++ % 7 === 6 ? new Error("Storage failed.") : undefined));
    const { DB } = faulty.bindings as { DB: D1Database };
    const session = openDatabase(DB, "primary");
    for (let runs = 0; runs < 200 && ((await lastRun())?.["finished_at"] ?? null) === null; runs++)
      await reconcile(parseApiEnv({ ...env, MEDIA: smallPages() }), session).catch(() => 0);
    expect(await findings()).toEqual(wanted);
  });
});

test("thousands of records whose objects are all gone are all found, in several runs", async () => {
  const RECORDS = 5_000;
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
     INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
       file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, processed_at, quota_units,
       period_start, source_expires_at)
     SELECT printf('%08x-0000-7000-8000-000000000000', i), ?2, 'completed', 'photo.png', 'image', 'png', '["heads"]',
       'blur', 1, 1, 1, 'http://veil.test', 'req_test', ?3, ?3, 1, '2026-06-01', ?4 FROM n`,
  )
    .bind(RECORDS, accountId, LONG_AGO, TONIGHT + DAY_MS)
    .run();
  await runAll();
  expect(await lastRun()).toMatchObject({ records_checked: RECORDS, records_without_object: RECORDS });
});
