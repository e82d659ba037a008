import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { completeMedia, failMedia } from "../../src/records/media/media-jobs.repository.ts";
import { outputKey, sourceKey, thumbnailKey } from "../../src/records/media/media.objects.ts";
import { findMediaById, type MediaOwnership } from "../../src/records/media/media.repository.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { eventSchema, mediaEvent } from "../../src/records/media/media-events.ts";
import { holdMedia } from "../support/queued-jobs.ts";
import { createAccount } from "../support/accounts.ts";
import { bodyOf, call } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { upload, uploaded } from "../support/uploads.ts";

const NOW = Date.UTC(2026, 5, 1);
const RETENTION = { sourceHours: 24, outputDays: 30 };
const database = openDatabase(env.DB, "primary");

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  for (const table of ["media", "events", "object_purges", "idempotency_keys"])
    await env.DB.exec(`DELETE FROM ${table}`);
  await env.MEDIA.delete(await wholeBucket());
});

afterEach(() => {
  vi.useRealTimers();
});

async function sweepAt(timeMs: number, bindings: object = env): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(parseApiEnv({ ...env, ...bindings }));
}

/** Ends an uploaded media item as its job does. */
async function end(owned: MediaOwnership, status: "completed" | "failed" = "completed"): Promise<void> {
  const claimed = { ...owned, leaseId: `lease_${owned.mediaId}` };
  const now = Date.now();
  await holdMedia({ ...claimed, leaseExpiresAtMs: now + MINUTE_MS });
  const row = await findMediaById(database, owned.mediaId);
  if (row === undefined) throw new Error("The media is gone.");
  if (status === "completed") {
    await env.MEDIA.put(outputKey(owned), "output");
    const after = { ...row, status, processedAt: now, outputSizeBytes: 6 };
    const event = mediaEvent("media.processed", after, now);
    const change = {
      processedAtMs: now,
      outputSizeBytes: 6,
      detections: [],
      retention: RETENTION,
      event,
      requestId: "req_",
    };
    await completeMedia(database, claimed, change);
  } else {
    const event = mediaEvent("media.failed", { ...row, status, failedAt: now }, now);
    const change = {
      failedAtMs: now,
      failureCode: "retries_spent" as const,
      retention: RETENTION,
      event,
      requestId: "req_",
    };
    await failMedia(database, claimed, change);
  }
}

/** A media item that has ended, with its source and, if completed, its output. */
async function ended(status: "completed" | "failed" = "completed") {
  const { accountId, apiKey } = await createAccount();
  const { id } = await uploaded(apiKey, { filename: "family.png" });
  const owned = { accountId, mediaId: id };
  await end(owned, status);
  return { ...owned, apiKey };
}

async function objectsOf({ accountId, mediaId }: MediaOwnership): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `${accountId}/${mediaId}/` });
  return objects.map(({ key }) => key.split("/").slice(2).join("/"));
}

/** The deletion events of a media item, checked with the schema. */
async function deletionsOf(mediaId: string) {
  const { results } = await env.DB.prepare(
    "SELECT payload FROM events WHERE media_id = ? AND kind = 'media.source_deleted'",
  )
    .bind(mediaId)
    .all<{ payload: string }>();
  return results.map(({ payload }) => eventSchema.parse(JSON.parse(payload)));
}

/** Every row of every table that contains `text`, as `table: row`. */
async function mentions(text: string): Promise<string[]> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'",
  ).all<{ name: string }>();
  const found: string[] = [];
  for (const { name } of tables.results) {
    const { results } = await env.DB.prepare(`SELECT * FROM "${name}"`).all();
    for (const row of results) if (JSON.stringify(row).includes(text)) found.push(name);
  }
  return found;
}

async function wholeBucket(): Promise<string[]> {
  return (await env.MEDIA.list()).objects.map(({ key }) => key);
}

describe("a source", () => {
  test("goes 24 hours after its media is completed, not a moment before, and its event says so", async () => {
    const { apiKey, ...media } = await ended();
    await sweepAt(NOW + DAY_MS - 1);
    expect(await objectsOf(media)).toEqual(["output", "source"]);
    await sweepAt(NOW + DAY_MS);
    expect(await objectsOf(media)).toEqual(["output"]);
    const response = await call(`/media/${media.mediaId}`, { apiKey });
    const shown = await bodyOf(response, mediaSchema);
    expect(shown.status).toBe("completed");
    expect(await deletionsOf(media.mediaId)).toEqual([
      {
        id: expect.stringMatching(/^evt_/) as string,
        event: "media.source_deleted",
        timestamp: new Date(NOW + DAY_MS).toISOString(),
        media_id: media.mediaId,
        status: "completed",
        processed_at: new Date(NOW).toISOString(),
        failed_at: null,
        media: shown,
      },
    ]);
    expect((await call(`/media/${media.mediaId}/download`, { apiKey })).status).toBe(200);
    await sweepAt(NOW + 2 * DAY_MS);
    expect(await deletionsOf(media.mediaId)).toHaveLength(1);
  });

  test("of a failed media goes too, with whatever its job has left", async () => {
    const { apiKey: _key, ...media } = await ended("failed");
    await env.MEDIA.put(outputKey(media), "half");
    await sweepAt(NOW + DAY_MS);
    expect(await objectsOf(media)).toEqual([]);
    expect(await deletionsOf(media.mediaId)).toMatchObject([{ status: "failed", processed_at: null }]);
  });

  test("of an unfinished media stays as long as it takes", async () => {
    const { accountId, apiKey } = await createAccount();
    const { id } = await uploaded(apiKey);
    await sweepAt(NOW + 100 * DAY_MS);
    expect(await objectsOf({ accountId, mediaId: id })).toEqual(["source"]);
  });

  test("goes with the segments and intermediates of a video", async () => {
    const { apiKey: _key, ...media } = await ended();
    await env.DB.prepare("UPDATE media SET media_type = 'video' WHERE id = ?").bind(media.mediaId).run();
    const prefix = `${media.accountId}/${media.mediaId}`;
    for (const name of ["segments/0001", "segments/0002", "planes/0001", "zz"])
      await env.MEDIA.put(`${prefix}/${name}`, "x");
    await sweepAt(NOW + DAY_MS);
    expect(await objectsOf(media)).toEqual(["output"]);
    expect(await deletionsOf(media.mediaId)).toHaveLength(1);
  });

  test("that storage holds on to is tried again, and holds up no other video", async () => {
    const held = await ended();
    const other = await ended();
    await env.DB.exec("UPDATE media SET media_type = 'video'");
    const MEDIA = {
      put: env.MEDIA.put.bind(env.MEDIA),
      delete: env.MEDIA.delete.bind(env.MEDIA),
      list: async (options: R2ListOptions) => {
        if (options.prefix?.includes(held.mediaId) === true) throw new Error("R2 stumbles over this one.");
        return await env.MEDIA.list(options);
      },
    };
    await sweepAt(NOW + DAY_MS, { MEDIA });
    expect([await objectsOf(held), await objectsOf(other)]).toEqual([["output", "source"], ["output"]]);
    expect(await deletionsOf(held.mediaId)).toEqual([]);
    await sweepAt(NOW + DAY_MS + 11 * MINUTE_MS);
    expect(await objectsOf(held)).toEqual(["output"]);
    expect(await deletionsOf(held.mediaId)).toHaveLength(1);
  });
});

describe("an output", () => {
  test("goes 30 days after its media is completed; the record stays and cannot be downloaded", async () => {
    const { apiKey, ...media } = await ended();
    await env.MEDIA.put(thumbnailKey(media), "small");
    await sweepAt(NOW + 30 * DAY_MS - 1);
    expect(await objectsOf(media)).toEqual(["output", "thumbnail"]);
    expect((await call(`/media/${media.mediaId}/download`, { apiKey })).status).toBe(200);
    await sweepAt(NOW + 30 * DAY_MS);
    expect(await objectsOf(media)).toEqual([]);
    const shown = await bodyOf(await call(`/media/${media.mediaId}`, { apiKey }), mediaSchema);
    expect(shown.status).toBe("completed");
    expect(shown).not.toHaveProperty("download_url");
    expect((await call(`/media/${media.mediaId}/download`, { apiKey })).status).toBe(404);
  });
});

test("an account's own times come before the service's", async () => {
  const { accountId, apiKey } = await createAccount();
  await env.DB.prepare(
    "UPDATE accounts SET source_retention_hours = 2, output_retention_days = 1 WHERE id = ?",
  )
    .bind(accountId)
    .run();
  const { id } = await uploaded(apiKey);
  const owned = { accountId, mediaId: id };
  await end(owned);
  await sweepAt(NOW + 2 * HOUR_MS - 1);
  expect(await objectsOf(owned)).toEqual(["output", "source"]);
  await sweepAt(NOW + 2 * HOUR_MS);
  expect(await objectsOf(owned)).toEqual(["output"]);
  await sweepAt(NOW + DAY_MS);
  expect(await objectsOf(owned)).toEqual([]);
});

test("runs that die at any call, or overlap, delete every source and tell of each once", async () => {
  const clean = faultyBindings(env, () => undefined);
  await ended();
  await sweepAt(NOW + DAY_MS, clean.bindings);
  const calls = clean.calls();
  expect(calls).toBeGreaterThan(8);
  for (let failing = 1; failing <= calls; failing++) {
    for (const when of ["before", "after"] as const) {
      vi.setSystemTime(NOW);
      const { apiKey: _key, ...media } = await ended();
      const fails = (count: number) => (count === failing ? new Error("Storage failed.") : undefined);
      const faulty = faultyBindings(env, fails, when);
      await sweepAt(NOW + DAY_MS, faulty.bindings);
      await Promise.all([sweepAt(NOW + DAY_MS + MINUTE_MS), sweepAt(NOW + DAY_MS + MINUTE_MS)]);
      expect([failing, when, await objectsOf(media)]).toEqual([failing, when, ["output"]]);
      expect(await deletionsOf(media.mediaId)).toHaveLength(1);
    }
  }
});

describe("DELETE", () => {
  test("tells that a kept source is gone, with the status of that moment and no media", async () => {
    const { apiKey, mediaId } = await ended();
    vi.setSystemTime(NOW + 5);
    await call(`/media/${mediaId}`, { method: "DELETE", apiKey });
    expect(await deletionsOf(mediaId)).toEqual([
      {
        id: expect.stringMatching(/^evt_/) as string,
        event: "media.source_deleted",
        timestamp: new Date(NOW + 5).toISOString(),
        media_id: mediaId,
        status: "completed",
        processed_at: new Date(NOW).toISOString(),
        failed_at: null,
        media: null,
      },
    ]);
  });

  test.for([0, 1, 7, 10, 123, 999])("writes times to the millisecond, as of %i ms", async (ms) => {
    vi.setSystemTime(NOW + ms);
    const { apiKey, mediaId } = await ended("failed");
    await call(`/media/${mediaId}`, { method: "DELETE", apiKey });
    expect(await deletionsOf(mediaId)).toMatchObject([
      { status: "failed", failed_at: new Date(NOW + ms).toISOString(), processed_at: null },
    ]);
  });

  test("sends no event if retention has sent it before", async () => {
    const { apiKey, mediaId } = await ended();
    await sweepAt(NOW + DAY_MS);
    await call(`/media/${mediaId}`, { method: "DELETE", apiKey });
    expect(await deletionsOf(mediaId)).toEqual([]);
  });

  test("of a queued media tells so", async () => {
    const { apiKey } = await createAccount();
    const { id } = await uploaded(apiKey);
    await call(`/media/${id}`, { method: "DELETE", apiKey });
    expect(await deletionsOf(id)).toMatchObject([{ status: "queued", media: null }]);
  });

  test("removes every object at once, and leaves its id where it is still needed and its name nowhere", async () => {
    const { apiKey, accountId } = await createAccount();
    const keyed = await upload(apiKey, { filename: "family.png" }, { "Idempotency-Key": "k" });
    const { id } = await bodyOf(keyed, mediaSchema);
    const media = { accountId, mediaId: id };
    await end(media);
    for (const name of ["segments/0001/source", "planes/0001", "tracks.json"])
      await env.MEDIA.put(`${accountId}/${id}/${name}`, "x");
    await env.DB.prepare(
      "INSERT INTO dead_letters (message_id, queue, body, account_id, media_id, recorded_at) VALUES ('m', 'images', ?, ?, ?, 0)",
    )
      .bind(JSON.stringify({ mediaId: id }), accountId, id)
      .run();
    expect((await mentions("family.png")).sort()).toEqual(["events", "idempotency_keys", "media"]);
    await call(`/media/${id}`, { method: "DELETE", apiKey });
    expect(await wholeBucket()).toEqual([]);
    expect(await mentions("family.png")).toEqual([]);
    expect((await mentions(id)).sort()).toEqual([
      "audit_entries",
      "audit_entries",
      "deletion_records",
      "events",
      "idempotency_keys",
      "object_purges",
    ]);
    // The upload can still be repeated with its key. The answer is the same, although its media item is deleted.
    const replayed = await upload(apiKey, { filename: "family.png" }, { "Idempotency-Key": "k" });
    expect(replayed.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await bodyOf(replayed, mediaSchema)).toMatchObject({ id, filename: "family.png" });

    await sweepAt(NOW + HOUR_MS);
    await sweepAt(NOW + DAY_MS);
    expect((await mentions(id)).sort()).toEqual([
      "audit_entries",
      "audit_entries",
      "deletion_records",
      "events",
    ]);
    await sweepAt(NOW + 30 * DAY_MS + 1);
    expect((await mentions(id)).sort()).toEqual(["audit_entries", "audit_entries", "deletion_records"]);
    expect(await wholeBucket()).toEqual([]);
  });

  test("leaves other media of the account alone", async () => {
    const { apiKey, accountId } = await createAccount();
    const [first, second] = [await uploaded(apiKey), await uploaded(apiKey)];
    await call(`/media/${first.id}`, { method: "DELETE", apiKey });
    expect(await wholeBucket()).toEqual([sourceKey({ accountId, mediaId: second.id })]);
  });
});

test("a media item of another account cannot be deleted, and no event is sent", async () => {
  const { mediaId, accountId } = await ended();
  const stranger = await createAccount();
  const before = await mentions(mediaId);
  expect((await call(`/media/${mediaId}`, { method: "DELETE", apiKey: stranger.apiKey })).status).toBe(404);
  expect(await mentions(mediaId)).toEqual(before);
  expect(await objectsOf({ accountId, mediaId })).toEqual(["output", "source"]);
  expect(await objectsOf({ accountId, mediaId: newUuid() })).toEqual([]);
});
