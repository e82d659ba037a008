import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { mediaSchema, type MediaResponse } from "../../src/records/media/media.schemas.ts";
import { FAILURE_IS_RETRYABLE } from "../../src/ground/vocabulary/failures.ts";
import { createAccount, createKey, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { sendWithFailingStorage } from "../support/failing-storage.ts";
import { completed } from "../support/leftovers.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const HOUR_MS = 3_600_000;

let account: TestAccount;
let mediaId: string;

/** Fails a media item as its job would. */
async function fail(id: string, code = "retries_spent", status = "failed"): Promise<void> {
  await env.DB.prepare(
    `UPDATE media SET status = ?2, failure_code = ?3, failed_at = ?4,
       source_expires_at = CASE WHEN source_deleted_at IS NULL THEN ?5 END WHERE id = ?1`,
  )
    .bind(id, status, status === "failed" ? code : null, Date.now(), Date.now() + HOUR_MS)
    .run();
}

async function failedPhoto(of: TestAccount): Promise<string> {
  const { id } = await uploaded(of.apiKey, { filename: "street.png", method: "pixelation" });
  await fail(id);
  return id;
}

beforeEach(async () => {
  account = await createAccount();
  mediaId = await failedPhoto(account);
});

async function retry(
  options: {
    id?: string;
    apiKey?: string;
    headers?: Record<string, string>;
    query?: string;
    body?: BodyInit;
  } = {},
): Promise<Response> {
  const { id = mediaId, apiKey = account.apiKey, headers = {}, query = "", body } = options;
  return await call(`/media/${id}/retry${query}`, {
    method: "POST",
    apiKey,
    headers,
    ...(body !== undefined && { body }),
  });
}

async function retried(id = mediaId): Promise<MediaResponse> {
  const response = await retry({ id });
  expect(response.status).toBe(201);
  return await bodyOf(response, mediaSchema);
}

async function get(path: string): Promise<unknown> {
  const response = await call(path, { apiKey: account.apiKey });
  expect(response.status).toBe(200);
  return await response.json();
}

async function versionsOf(id: string): Promise<unknown> {
  return ((await get(`/media/${id}?include=versions`)) as { versions: unknown }).versions;
}

async function currentIds(): Promise<string[]> {
  const { data } = (await get("/media?current=true")) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function countOf(table: string): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS total FROM ${table} WHERE account_id = ?`)
    .bind(account.accountId)
    .first<{ total: number }>();
  return row?.total ?? 0;
}

async function reserved(): Promise<number> {
  const row = await env.DB.prepare(
    "SELECT sum(reserved_units) AS units FROM usage WHERE account_id = ? AND media_type = 'image'",
  )
    .bind(account.accountId)
    .first<{ units: number }>();
  return row?.units ?? 0;
}

/** Expects a refusal that leaves nothing behind. */
async function refused(response: Response, status: number): Promise<Record<string, unknown>> {
  expect(response.status).toBe(status);
  expect([await countOf("media_revisions"), await countOf("idempotency_keys")]).toEqual([0, 0]);
  return (await errorOf(response)).details;
}

async function optionsOf(of: string): Promise<unknown> {
  return await env.DB.prepare("SELECT options FROM masking_options WHERE media_id = ?")
    .bind(of)
    .first("options");
}

function remaining(answer: Response) {
  return Number(answer.headers.get("X-RateLimit-Remaining"));
}

async function failedRevision(): Promise<string> {
  await completed(account.accountId, mediaId);
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, '[]', 1, 0)",
  )
    .bind(mediaId, account.accountId)
    .run();
  const response = await call(`/media/${mediaId}/revisions`, {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ regions: [{ box: { x: 0, y: 0, width: 1, height: 1 } }] }),
  });
  const { id } = await bodyOf(response, mediaSchema);
  await fail(id);
  return id;
}

async function hiddenBy(id: string): Promise<unknown> {
  return await env.DB.prepare("SELECT detections FROM media_detections WHERE media_id = ?")
    .bind(id)
    .first("detections");
}

async function sendWith(bindings: object, key: string): Promise<Response> {
  return await callWith(bindings, `/media/${mediaId}/retry`, {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Idempotency-Key": key },
  });
}

test("a retry is a media like any other, with the settings of the failed one", async () => {
  const failed = (await get(`/media/${mediaId}`)) as MediaResponse;
  const made = await retried();
  expect(made).toEqual({
    ...failed,
    id: made.id,
    status: "queued",
    created_at: made.created_at,
    failed_at: null,
  });
  expect(made.id).not.toBe(mediaId);
  expect(await get(`/media/${made.id}`)).toEqual(made);
  // Final states stay final.
  expect(await get(`/media/${mediaId}`)).toEqual(failed);
});

test("options, regions, metadata and folder are those of the failed one", async () => {
  const form = await uploadForm();
  form.append("sensitivity", "high");
  form.append("regions", JSON.stringify([{ box: { x: 0, y: 0, width: 0.5, height: 0.5 } }]));
  form.append("metadata", JSON.stringify({ external_id: "ticket-7", desk: "4" }));
  form.append("folder", "2026/may");
  const sent = await call("/media/redact", { method: "POST", apiKey: account.apiKey, body: form });
  const { id } = await bodyOf(sent, mediaSchema);
  await fail(id);
  const again = await retried(id);
  expect(await optionsOf(again.id)).toBe(await optionsOf(id));
  expect(await optionsOf(again.id)).toContain("high");
  expect(await get(`/media/${again.id}?include=metadata`)).toMatchObject({
    metadata: { external_id: "ticket-7", desk: "4" },
    folder: "2026/may",
  });
  const found = (await get("/media?external_id=ticket-7&current=true")) as { data: { id: string }[] };
  expect(found.data.map((one) => one.id)).toEqual([again.id]);
});

test("it is a version of the same file and takes the place of the failed one, also as a retry of a retry", async () => {
  const first = await retried();
  expect(await currentIds()).toEqual([first.id]);
  expect(await versionsOf(mediaId)).toEqual({
    first: mediaId,
    revision_of: null,
    superseded_by: first.id,
    current: false,
  });
  await fail(first.id);
  const second = await retried(first.id);
  expect(await currentIds()).toEqual([second.id]);
  expect(await versionsOf(first.id)).toMatchObject({ superseded_by: second.id, current: false });
  await completed(account.accountId, second.id);
  const current = { first: mediaId, revision_of: mediaId, superseded_by: null, current: true };
  expect(await versionsOf(second.id)).toEqual(current);
  // The retry no longer has a source and is the only version left.
  await call(`/media/${mediaId}`, { method: "DELETE", apiKey: account.apiKey });
  expect(await versionsOf(second.id)).toEqual(current);
});

test("two retries at once are both versions", async () => {
  const answers = await Promise.all([retry(), retry()]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  const ids = await Promise.all(answers.map(async (answer) => (await bodyOf(answer, mediaSchema)).id));
  expect(await currentIds()).toEqual([ids.toSorted().at(-1)]);
  expect(await countOf("media_revisions")).toBe(2);
});

test("it is written in the audit trail, by whoever asked for it", async () => {
  const { id } = await retried();
  const entry = await env.DB.prepare(
    "SELECT actor_id AS actor, detail FROM audit_entries WHERE kind = 'media.retried' AND subject_id = ?",
  )
    .bind(id)
    .first();
  expect(entry).toEqual({ actor: account.keyId, detail: mediaId });
});

test("it spends one request of the rate limit", async () => {
  stopClock();
  account = await createAccount({ requestsPerMinute: 100 });
  mediaId = await failedPhoto(account);
  const before = await call("/usage", { apiKey: account.apiKey });
  expect(remaining(await retry())).toBe(remaining(before) - 1);
});

describe("the quota", () => {
  test("is reserved as for a first try, and given back or used when the retry ends", async () => {
    expect(await reserved()).toBe(0);
    const one = await retried();
    expect(await reserved()).toBe(1);
    await fail(one.id);
    expect(await reserved()).toBe(0);
    const two = await retried();
    await completed(account.accountId, two.id);
    expect(await reserved()).toBe(0);
    expect(await get("/usage")).toMatchObject({ images: { used: 1 } });
    const three = await retried();
    await call(`/media/${three.id}`, { method: "DELETE", apiKey: account.apiKey });
    expect(await reserved()).toBe(0);
  });

  test("that is used up answers as for an upload, and leaves nothing behind", async () => {
    account = await createAccount({ imagesPerPeriod: 1 });
    mediaId = await failedPhoto(account);
    await uploaded(account.apiKey);
    const headers = { "Idempotency-Key": "one" };
    const response = await retry({ headers });
    expect(response.headers.get("Retry-After")).toMatch(/^\d+$/);
    expect(await refused(response, 429)).toMatchObject({ metric: "images", used: 1, limit: 1 });
  });

  test("never has room for two where it has room for one", async () => {
    account = await createAccount({ imagesPerPeriod: 1 });
    mediaId = await failedPhoto(account);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => await retry()));
    const made = answers.filter(({ status }) => status === 201);
    const refusedAnswers = answers.filter(({ status }) => status === 429);
    expect([made.length, refusedAnswers.length]).toEqual([1, 7]);
    expect([await countOf("media_revisions"), await reserved()]).toEqual([1, 1]);
  });
});

describe("is refused, and leaves nothing behind,", () => {
  test("for a media that has not failed", async () => {
    const { id } = await uploaded(account.apiKey);
    expect(await refused(await retry({ id }), 409)).toEqual({ reason: "not_failed" });
    await completed(account.accountId, id);
    expect(await refused(await retry({ id }), 409)).toEqual({ reason: "not_failed" });
  });

  test("for a source that is due, deleted, or was never stored", async () => {
    const set = async (sql: string) => await env.DB.prepare(`${sql} = ?`).bind(mediaId).run();
    await set("UPDATE media SET source_expires_at = 1 WHERE id");
    expect(await refused(await retry(), 409)).toEqual({ reason: "source_deleted" });
    await set("UPDATE media SET source_expires_at = NULL, source_deleted_at = 1 WHERE id");
    expect(await refused(await retry(), 409)).toEqual({ reason: "source_deleted" });
    mediaId = await failedPhoto(account);
    await fail(mediaId, "source_missing");
    await env.MEDIA.delete(`${account.accountId}/${mediaId}/source`);
    expect(await refused(await retry(), 409)).toEqual({ reason: "source_deleted" });
  });

  test("with a body, an unknown parameter, a key that is too long, an id that is none", async () => {
    const body = await refused(await retry({ body: JSON.stringify({ redaction_method: "blur" }) }), 422);
    expect(body).toEqual({
      body: ["The request has a body; expected none. A retry has the settings of the failed media item."],
    });
    expect(await refused(await retry({ query: "?dry_run=true" }), 422)).toHaveProperty("dry_run");
    const headers = { "Idempotency-Key": "k".repeat(256) };
    expect(await refused(await retry({ headers }), 422)).toHaveProperty("idempotency_key");
    expect(await refused(await retry({ id: "no-uuid" }), 404)).toEqual({});
    expect((await retry({ body: "{}" })).status).toBe(201);
  });

  test("with a key that may only read", async () => {
    const { keyId, apiKey } = await createKey(account.accountId);
    const allow = env.DB.prepare("UPDATE api_keys SET scopes = ? WHERE id = ?");
    await allow.bind('["read"]', keyId).run();
    expect(await refused(await retry({ apiKey }), 401)).toEqual({});
    await allow.bind('["write"]', keyId).run();
    expect((await retry({ apiKey })).status).toBe(201);
  });
});

test.for(Object.entries(FAILURE_IS_RETRYABLE))(
  "%s says whether it can be retried: %s",
  async ([code, can]) => {
    await fail(mediaId, code, code === "quota_exceeded" ? "quota_exceeded" : "failed");
    expect(await get(`/media/${mediaId}?include=failure`)).toMatchObject({
      failure: { code, retryable: can },
    });
    const response = await retry();
    if (can) expect(response.status).toBe(201);
    else expect(await refused(response, 409)).toEqual({ reason: "not_retryable" });
  },
);

test("of one source there are at most 50 retries", async () => {
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
     INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id) SELECT 'retry-' || i, ?1, ?2, NULL FROM n`,
  )
    .bind(account.accountId, mediaId)
    .run();
  const response = await retry();
  expect(response.status).toBe(422);
  expect((await errorOf(response)).details).toEqual({
    media_id: ["The media has 50 retries; the limit is 50. Delete one that is no longer needed."],
  });
});

describe("a failed revision is retried as a revision", () => {
  test("with what it hides, and counts nothing against the quota", async () => {
    const revision = await failedRevision();
    const before = await reserved();
    const again = await retried(revision);
    expect(await reserved()).toBe(before);
    expect(await hiddenBy(again.id)).toBe(await hiddenBy(revision));
    expect(await hiddenBy(again.id)).toContain("reg_");
    const { results } = await env.DB.prepare(
      "SELECT first_media_id AS first, analysis_media_id AS analysis FROM media_revisions WHERE account_id = ?",
    )
      .bind(account.accountId)
      .all();
    expect(results).toEqual(Array.from({ length: 2 }, () => ({ first: mediaId, analysis: mediaId })));
    // The completed upload is current until the retry is completed.
    expect(await currentIds()).toEqual([mediaId]);
  });

  test("not once the media that it revises is deleted", async () => {
    const revision = await failedRevision();
    await call(`/media/${mediaId}`, { method: "DELETE", apiKey: account.apiKey });
    const response = await retry({ id: revision });
    expect((await errorOf(response)).details).toEqual({ reason: "source_deleted" });
  });
});

describe("idempotency keys", () => {
  const headers = { "Idempotency-Key": "one" };

  test("answer the same retry again, and refuse another request", async () => {
    const first = await retry({ headers });
    const again = await retry({ headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    const other = await retry({ id: await failedPhoto(account), headers });
    expect(other.status).toBe(409);
    expect((await errorOf(other)).details).toEqual({ reason: "idempotency_key_reused" });
    expect(await countOf("media_revisions")).toBe(1);
  });

  test("make one retry of many requests at once, and are free again after a refusal", async () => {
    await fail(mediaId, "source_unreadable");
    expect((await retry({ headers })).status).toBe(409);
    await fail(mediaId);
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await retry({ headers })));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect([await countOf("media_revisions"), await reserved()]).toEqual([1, 1]);
  });
});

test("storage failing at any call makes one retry or none", async () => {
  await sendWithFailingStorage(sendWith, async (key, made) => {
    expect({ key, made: await countOf("media_revisions") }).toEqual({ key, made });
    expect({ key, reserved: await reserved() }).toEqual({ key, reserved: made });
  });
});
