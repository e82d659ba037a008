import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import type { MaskingOptions } from "../../src/records/masking/masking-options.ts";
import type { Deed } from "../../src/records/audit/audit.repository.ts";
import { saveReviewRules } from "../../src/records/review/review-rules.repository.ts";
import type { ReviewRules } from "../../src/records/review/review-rules.schemas.ts";
import { approve, undo } from "../../src/intake/revisions/review-queue.service.ts";
import { findReview, listWaiting } from "../../src/records/review/review-queue.repository.ts";
import { makeRevision } from "../../src/intake/revisions/revision.service.ts";
import { createAccount } from "../support/accounts.ts";
import { findMediaById, type MediaRow } from "../../src/records/media/media.repository.ts";
import { answerDetections, deliver, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";

const HOUR_MS = 3_600_000;
const database = openDatabase(env.DB, "primary");

beginQuietly();

const found = [
  { category: "heads", confidence: 0.9, box: [0, 0, 0.2, 0.2] },
  { category: "heads", confidence: 0.5, box: [0.4, 0.4, 0.2, 0.2] },
  { category: "license_plates", confidence: 0.95, box: [0.7, 0.1, 0.2, 0.1] },
  { category: "heads", confidence: 0.2, box: [0.8, 0.8, 0.1, 0.1], candidate: true },
];

function deedOf(accountId: string): Deed {
  return { accountId, actor: { kind: "user", id: "usr_a" }, requestId: "req_test", nowMs: Date.now() };
}

/** A completed photo of an account with these rules. */
async function completedPhoto(
  rules: Partial<ReviewRules> | undefined,
  options?: Partial<MaskingOptions>,
): Promise<QueuedMedia> {
  answerDetections(() => Response.json({ frames: [{ width: 64, height: 48, detections: found }] }));
  const { accountId } = await createAccount();
  if (rules !== undefined)
    await saveReviewRules(database, { moreThan: {}, between: {}, ...rules }, deedOf(accountId));
  const media = await queuedMedia(accountId, {
    categories: ["heads", "license_plates"],
    ...(options && { options }),
  });
  await deliver(media.mediaId);
  return media;
}

async function rowOf(mediaId: string): Promise<MediaRow> {
  const row = await findMediaById(database, mediaId);
  if (row === undefined) throw new Error("The media is gone.");
  return row;
}

async function sweepNow(): Promise<void> {
  await sweep(quietBindings());
}

async function reasonsOf(media: QueuedMedia) {
  return (await findReview(database, media))?.review.reasons;
}

function decisionOn({ accountId, mediaId }: QueuedMedia, userId = "usr_a") {
  return {
    config: {
      ...env,
      MAX_QUEUED_JOBS: 1_000,
      MAX_QUEUE_AGE_SECONDS: Infinity,
      IMAGE_JOBS: { sendBatch: async () => undefined },
    } as never,
    caller: { accountId, userId, anchorDay: 1 } as never,
    mediaId,
    origin: "http://veil.test",
    requestId: "req_review",
  };
}

describe("a photo is listed for review", () => {
  test("when it was only to be analyzed, without any rule", async () => {
    const media = await completedPhoto(undefined, { isDetectOnly: true });
    expect(await reasonsOf(media)).toEqual([{ kind: "detect_only" }]);
  });

  test.for<[Partial<ReviewRules>, readonly object[] | undefined]>([
    [{ moreThan: { heads: 1 } }, [{ kind: "many", subject: "heads", found: 2, limit: 1 }]],
    [{ moreThan: { heads: 2 } }, undefined],
    [{ moreThan: { all: 2 } }, [{ kind: "many", subject: "all", found: 3, limit: 2 }]],
    [{ moreThan: { screens: 0 } }, undefined],
    [
      { between: { all: { fromPercent: 10, toPercent: 50 } } },
      [{ kind: "doubtful", subject: "all", found: 2, fromPercent: 10, toPercent: 50 }],
    ],
    [{ between: { license_plates: { fromPercent: 10, toPercent: 94 } } }, undefined],
    [
      { between: { license_plates: { fromPercent: 95, toPercent: 95 } } },
      [{ kind: "doubtful", subject: "license_plates", found: 1, fromPercent: 95, toPercent: 95 }],
    ],
  ])("by the rules %j: %j", async ([rules, reasons]) => {
    const media = await completedPhoto(rules);
    expect(await reasonsOf(media)).toEqual(reasons);
    const { status, outputSizeBytes } = await rowOf(media.mediaId);
    // A flagged file can still be downloaded.
    expect(status).toBe("completed");
    expect(outputSizeBytes).toBeGreaterThan(0);
  });

  test("for several reasons at once", async () => {
    const media = await completedPhoto({ moreThan: { all: 0, heads: 0 } }, { isDetectOnly: true });
    expect((await reasonsOf(media))?.map(({ kind }) => kind)).toEqual(["detect_only", "many", "many"]);
  });

  test("by the rules of its own account alone", async () => {
    await completedPhoto({ moreThan: { heads: 0 } });
    expect(await reasonsOf(await completedPhoto(undefined))).toBeUndefined();
  });
});

describe("approving", () => {
  test("approving an analyzed file makes its result once, whoever else approves it at the same time", async () => {
    const media = await completedPhoto(undefined, { isDetectOnly: true });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, async (_none, index) => await approve(decisionOn(media, `usr_${index}`))),
    );
    const made = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    const refused = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as unknown] : [],
    );
    expect(made).toHaveLength(1);
    for (const error of refused)
      expect(error).toMatchObject({ code: "conflict", details: { reason: "already_decided" } });
    const revisionId = made[0]?.revisionId ?? "";
    expect((await findReview(database, media))?.review).toMatchObject({
      state: "approved",
      resultMediaId: revisionId,
    });
    await deliver(revisionId);
    expect(await rowOf(revisionId)).toMatchObject({ status: "completed" });
    expect((await rowOf(revisionId)).outputSizeBytes).toBeGreaterThan(0);
    // The media item itself is unchanged, and the revision is not reviewed again.
    expect((await rowOf(media.mediaId)).outputSizeBytes).toBeNull();
    expect(await listWaiting(database, media.accountId, { nowMs: START_MS, limit: 9 })).toEqual([]);
    const { results } = await env.DB.prepare(
      "SELECT kind, subject_id, detail FROM audit_entries WHERE account_id = ? ORDER BY id",
    )
      .bind(media.accountId)
      .all();
    expect(results).toEqual([{ kind: "media.approved", subject_id: media.mediaId, detail: revisionId }]);
  });

  test("what was flagged changes nothing but its review", async () => {
    const media = await completedPhoto({ moreThan: { heads: 0 } });
    const before = await rowOf(media.mediaId);
    const outcomes = await Promise.allSettled([
      approve(decisionOn(media, "usr_a")),
      approve(decisionOn(media, "usr_b")),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await rowOf(media.mediaId)).toEqual(before);
    expect((await findReview(database, media))?.review.state).toBe("approved");
  });

  test("another account's is refused as one that is not there", async () => {
    const media = await completedPhoto({ moreThan: { heads: 0 } });
    const stranger = await createAccount();
    const stolen = { ...media, accountId: stranger.accountId };
    await expect(approve(decisionOn(stolen))).rejects.toMatchObject({ code: "not_found" });
    await expect(undo(decisionOn(stolen))).rejects.toMatchObject({ code: "not_found" });
    expect((await findReview(database, media))?.review.state).toBe("waiting");
  });
});

describe("a correction", () => {
  test("ends the review once; a second reviewer's is refused and makes nothing", async () => {
    const media = await completedPhoto({ moreThan: { heads: 0 } });
    const correct = async (userId: string) => {
      const { mediaId: _id, ...decision } = decisionOn(media, userId);
      const order = { redact: "none", except: [], regions: [] } as const;
      return await makeRevision({
        ...decision,
        owned: media,
        order,
        idempotencyKey: undefined,
        decision: "corrected",
      });
    };
    const outcomes = await Promise.allSettled([correct("usr_a"), correct("usr_b")]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const { total } = (await env.DB.prepare(
      "SELECT count(*) AS total FROM media_revisions WHERE account_id = ?",
    )
      .bind(media.accountId)
      .first<{ total: number }>()) ?? { total: 0 };
    expect(total).toBe(1);
    expect((await findReview(database, media))?.review.state).toBe("corrected");
  });
});

describe("undoing a decision", () => {
  test("deletes the revision that it made, and lets the media wait again", async () => {
    const media = await completedPhoto(undefined, { isDetectOnly: true });
    const { revisionId = "" } = await approve(decisionOn(media));
    await expect(undo(decisionOn(media, "usr_b"))).rejects.toMatchObject({ code: "conflict" });
    await undo(decisionOn(media));
    expect((await findReview(database, media))?.review).toMatchObject({
      state: "waiting",
      decidedBy: null,
      resultMediaId: null,
    });
    const { results } = await env.DB.prepare("SELECT id FROM media WHERE id = ?").bind(revisionId).all();
    expect(results).toEqual([]);
    await expect(undo(decisionOn(media))).rejects.toMatchObject({ code: "conflict" });
    expect((await approve(decisionOn(media))).revisionId).not.toBe(revisionId);
  });

  test("is refused when the result could not be made again", async () => {
    const media = await completedPhoto(undefined, { isDetectOnly: true });
    const { revisionId = "" } = await approve(decisionOn(media));
    await deliver(revisionId);
    vi.setSystemTime(START_MS + 25 * HOUR_MS);
    await expect(undo(decisionOn(media))).rejects.toMatchObject({ code: "conflict" });
    expect((await rowOf(revisionId)).status).toBe("completed");
  });
});

test("a media whose revision fails waits again", async () => {
  const media = await completedPhoto(undefined, { isDetectOnly: true });
  const { revisionId = "" } = await approve(decisionOn(media));
  await env.MEDIA.delete(`${media.accountId}/${media.mediaId}/source`);
  await deliver(revisionId);
  expect((await rowOf(revisionId)).status).toBe("failed");
  expect((await findReview(database, media))?.review).toMatchObject({
    state: "waiting",
    resultMediaId: null,
  });
});

describe("when time is over", () => {
  test("an analyzed file expires with its original, and is not listed between the expiry and the sweep", async () => {
    const media = await completedPhoto(undefined, { isDetectOnly: true });
    vi.setSystemTime(START_MS + 25 * HOUR_MS);
    expect(await listWaiting(database, media.accountId, { nowMs: Date.now(), limit: 9 })).toEqual([]);
    await expect(approve(decisionOn(media))).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    await sweepNow();
    expect((await findReview(database, media))?.review.state).toBe("expired");
    await expect(approve(decisionOn(media))).rejects.toMatchObject({
      details: { reason: "already_decided" },
    });
  });

  test("what was flagged waits as long as its result is kept", async () => {
    const media = await completedPhoto({ moreThan: { heads: 0 } });
    vi.setSystemTime(START_MS + 25 * HOUR_MS);
    await sweepNow();
    expect(await listWaiting(database, media.accountId, { nowMs: Date.now(), limit: 9 })).toHaveLength(1);
    vi.setSystemTime(START_MS + 31 * 24 * HOUR_MS);
    await sweepNow();
    expect((await findReview(database, media))?.review.state).toBe("expired");
  });

  test("nothing of a review is left when its media is deleted", async () => {
    const media = await completedPhoto(undefined, { isDetectOnly: true });
    await env.DB.prepare("DELETE FROM media WHERE id = ?").bind(media.mediaId).run();
    const { results } = await env.DB.prepare("SELECT * FROM media_reviews WHERE account_id = ?")
      .bind(media.accountId)
      .all();
    expect(results).toEqual([]);
  });
});
