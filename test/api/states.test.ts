import * as fc from "fast-check";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import * as lifecycle from "../../src/records/media/media-jobs.repository.ts";
import { claimImage } from "../../src/work/images/image-claims.repository.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import {
  MEDIA_STATUSES,
  TRANSITIONS,
  statesBefore,
  type MediaStatus,
} from "../../src/records/media/media.states.ts";
import { HOUR_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { newId, newUuid } from "../../src/ground/platform/ids.ts";
import { dropPending, insertPending, queueMedia } from "../../src/records/uploads/upload.repository.ts";
import { createAccount } from "../support/accounts.ts";
import { pendingMedia } from "../support/pending-media.ts";

const NOW = Date.UTC(2026, 0, 20);
const PERIOD = "2026-01-01";
const LEASE = "lease_of_the_test";
const database = openDatabase(env.DB, "primary");

let accountId: string;

beforeAll(async () => {
  ({ accountId } = await createAccount());
});

/** A media item that is put into a state directly and held by the test's lease. */
async function mediaIn(status: MediaStatus): Promise<string> {
  const mediaId = newUuid();
  await insertPending(
    database,
    pendingMedia({ mediaId, accountId }, { createdAt: NOW, periodStart: PERIOD }),
  );
  await env.DB.prepare(
    "UPDATE media SET status = ?2, lease_id = ?3, lease_expires_at = ?4, available_at = ?4 WHERE id = ?1",
  )
    .bind(mediaId, status, LEASE, NOW)
    .run();
  return mediaId;
}

async function statusOf(mediaId: string): Promise<MediaStatus | undefined> {
  return (await findMediaById(database, mediaId))?.status;
}

async function queue(mediaId: string): Promise<void> {
  await queueMedia(
    database,
    { accountId, mediaId },
    {
      fields: {
        categories: ["heads"],
        redactionMethod: "blur",
        fileSizeBytes: 1,
        widthPixels: 1,
        heightPixels: 1,
        durationSeconds: null,
        quotaUnits: 1,
        availableAt: NOW,
      },
      unitsLimit: null,
      idempotency: undefined,
    },
  );
}

/** Makes this job the only one that is due, because a claim takes any due job. */
async function putOffOthers(mediaId: string): Promise<void> {
  await env.DB.prepare("UPDATE media SET available_at = ?2 WHERE id <> ?1 AND status = 'queued'")
    .bind(mediaId, NOW + HOUR_MS)
    .run();
}

function event(kind: string) {
  return { id: `evt_${newUuid()}`, kind, payload: "{}" };
}

/** Every statement that changes a state, with the new state and the allowed earlier ones. */
const STATEMENTS: Record<
  string,
  { to: MediaStatus; from: readonly MediaStatus[]; run: (mediaId: string) => Promise<unknown> }
> = {
  queueMedia: { to: "queued", from: ["pending"], run: queue },
  claimImage: {
    to: "processing",
    from: statesBefore("processing"),
    run: async (mediaId) => {
      await putOffOthers(mediaId);
      await claimImage(database, { leaseId: newId("lease"), nowMs: NOW, leaseExpiresAtMs: NOW + 1 });
    },
  },
  releaseMedia: {
    to: "queued",
    from: ["processing"],
    run: async (mediaId) =>
      await lifecycle.releaseMedia(database, { mediaId, accountId, leaseId: LEASE }, NOW + 1),
  },
  releaseExpiredLeases: {
    to: "queued",
    from: ["processing"],
    run: async () => await lifecycle.releaseExpiredLeases(database, NOW, 1_000),
  },
  completeMedia: {
    to: "completed",
    from: statesBefore("completed"),
    run: async (mediaId) =>
      await lifecycle.completeMedia(
        database,
        { mediaId, accountId, leaseId: LEASE },
        {
          processedAtMs: NOW,
          outputSizeBytes: 1,
          retention: { sourceHours: 24, outputDays: 30 },
          event: event("media.processed"),
          requestId: "req_",
        },
      ),
  },
  failMedia: {
    to: "failed",
    from: statesBefore("failed"),
    run: async (mediaId) =>
      await lifecycle.failMedia(
        database,
        { mediaId, accountId, leaseId: LEASE },
        {
          failedAtMs: NOW,
          failureCode: "retries_spent",
          retention: { sourceHours: 24, outputDays: 30 },
          event: event("media.failed"),
          requestId: "req_",
        },
      ),
  },
};

describe("the table of transitions", () => {
  test("is the one of the contract", () => {
    expect(TRANSITIONS).toEqual({
      pending: ["queued"],
      queued: ["processing", "completed", "failed", "quota_exceeded"],
      processing: ["queued", "completed", "failed", "quota_exceeded"],
      completed: [],
      failed: [],
      quota_exceeded: [],
    });
  });

  test("allows all that the statements do", () => {
    for (const { to, from } of Object.values(STATEMENTS)) {
      for (const before of from) expect(TRANSITIONS[before]).toContain(to);
    }
  });
});

describe.for(Object.entries(STATEMENTS))("%s", ([, { to, from, run }]) => {
  test.for(MEDIA_STATUSES)("from %s", async (before) => {
    const mediaId = await mediaIn(before);
    await run(mediaId);
    expect(await statusOf(mediaId)).toBe(from.includes(before) ? to : before);
    const row = await findMediaById(database, mediaId);
    const hasChanged = from.includes(before);
    expect(row?.processedAt).toBe(hasChanged && to === "completed" ? NOW : null);
    expect(row?.failedAt).toBe(hasChanged && to === "failed" ? NOW : null);
    const { results } = await env.DB.prepare("SELECT kind FROM events WHERE media_id = ?")
      .bind(mediaId)
      .all();
    // The lease that ended the job may end it again, which writes no second event.
    const isEndedBy = (hasChanged || before === to) && (to === "completed" || to === "failed");
    expect(results).toHaveLength(isEndedBy ? 1 : 0);
  });
});

describe("a lease that was lost", () => {
  test.for(["releaseMedia", "completeMedia", "failMedia"])("cannot %s", async (name) => {
    const mediaId = await mediaIn("processing");
    await env.DB.prepare("UPDATE media SET lease_id = 'lease_newer' WHERE id = ?").bind(mediaId).run();
    expect(await STATEMENTS[name]?.run(mediaId)).toBeFalsy();
    expect(await statusOf(mediaId)).toBe("processing");
  });

  test("a job that is not due, or does not exist, is not claimed", async () => {
    const mediaId = await mediaIn("queued");
    await putOffOthers(mediaId);
    const claim = { leaseId: newId("lease"), leaseExpiresAtMs: NOW + 1 };
    expect(await claimImage(database, { ...claim, nowMs: NOW - 1 })).toBeUndefined();
    expect(await statusOf(mediaId)).toBe("queued");
    await putOffOthers("");
    expect(await claimImage(database, { ...claim, nowMs: NOW })).toBeUndefined();
  });
});

test.for(MEDIA_STATUSES)("a media that is %s can be deleted, by its account alone", async (status) => {
  const mediaId = await mediaIn(status);
  const times = { nowMs: NOW, settledAtMs: NOW, requestId: "req_" };
  const stranger = await createAccount();
  expect(await deleteMedia(database, { accountId: stranger.accountId, mediaId }, times)).toBeUndefined();
  expect(await statusOf(mediaId)).toBe(status);
  expect(await deleteMedia(database, { accountId, mediaId }, times)).toBeDefined();
  expect(await statusOf(mediaId)).toBeUndefined();
  expect(await deleteMedia(database, { accountId, mediaId }, times)).toBeUndefined();
});

test.for(MEDIA_STATUSES)(
  "an upload that is dropped while %s goes only when it is pending",
  async (status) => {
    const mediaId = await mediaIn(status);
    expect(await dropPending(database, { accountId, mediaId }, NOW)).toBe(status === "pending");
    expect(await statusOf(mediaId)).toBe(status === "pending" ? undefined : status);
  },
);

describe("counters", () => {
  const steps = fc.array(
    fc.record({
      action: fc.constantFrom("insert", "drop", "delete", "refuse", ...Object.keys(STATEMENTS)),
      pick: fc.nat(5),
    }),
    { minLength: 10, maxLength: 40 },
  );

  test("equal a new count after any walk through the states", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (walk) => {
        ({ accountId } = await createAccount());
        const made: string[] = [];
        let usedUnits = 0;
        for (const { action, pick } of walk) {
          const mediaId = made[pick % Math.max(1, made.length)];
          if (action === "insert" || mediaId === undefined) {
            made.push(await mediaIn("pending"));
            continue;
          }
          const before = await statusOf(mediaId);
          if (action === "drop") await dropPending(database, { accountId, mediaId }, NOW);
          else if (action === "delete") {
            await deleteMedia(
              database,
              { accountId, mediaId },
              { nowMs: NOW, settledAtMs: NOW, requestId: "req_" },
            );
          } else if (action === "refuse") {
            await env.DB.prepare(
              "UPDATE media SET status = 'quota_exceeded' WHERE id = ? AND status IN ('queued', 'processing')",
            )
              .bind(mediaId)
              .run();
          } else {
            await env.DB.prepare("UPDATE media SET lease_id = ?2, available_at = ?3 WHERE id = ?1")
              .bind(mediaId, LEASE, NOW)
              .run();
            await STATEMENTS[action]?.run(mediaId);
          }
          const after = await statusOf(mediaId);
          if (before !== "completed" && after === "completed") usedUnits += 1;
        }
        await expectCountersTrue(usedUnits);
      }),
      { numRuns: 12 },
    );
  });
});

async function expectCountersTrue(usedUnits: number): Promise<void> {
  const counted = await env.DB.prepare(
    "SELECT status, count(*) AS total FROM media WHERE account_id = ? GROUP BY status ORDER BY status",
  )
    .bind(accountId)
    .all();
  const kept = await env.DB.prepare(
    "SELECT status, total FROM media_counts WHERE account_id = ? AND total <> 0 ORDER BY status",
  )
    .bind(accountId)
    .all();
  expect(kept.results).toEqual(counted.results);
  const reserved = await env.DB.prepare(
    "SELECT coalesce(sum(quota_units), 0) AS units FROM media WHERE account_id = ? AND status IN ('queued', 'processing')",
  )
    .bind(accountId)
    .first<{ units: number }>();
  const usage = await env.DB.prepare("SELECT used_units, reserved_units FROM usage WHERE account_id = ?")
    .bind(accountId)
    .first<{ used_units: number; reserved_units: number }>();
  expect([usage?.used_units ?? 0, usage?.reserved_units ?? 0]).toEqual([usedUnits, reserved?.units]);
  const turns = await env.DB.prepare(
    `SELECT coalesce(sum(waiting), 0) AS waiting, coalesce(sum(running), 0) AS running FROM account_turns
     WHERE account_id = ? AND queue = 'images'`,
  )
    .bind(accountId)
    .first();
  const jobs = await env.DB.prepare(
    `SELECT coalesce(sum(status = 'queued'), 0) AS waiting,
       coalesce(sum(status = 'processing' AND lease_expires_at IS NOT NULL), 0) AS running
     FROM media WHERE account_id = ?`,
  )
    .bind(accountId)
    .first();
  expect(turns).toEqual(jobs);
}
