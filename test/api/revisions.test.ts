import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { mediaCollectionSchema, mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { sendWithFailingStorage } from "../support/failing-storage.ts";
import { completed } from "../support/leftovers.ts";
import { HOSTILE_REVISIONS } from "../support/hostile-revisions.ts";
import { stopClock } from "../support/stopped-clock.ts";
import { uploaded } from "../support/uploads.ts";

type Details = Record<string, string[]>;
type MediaType = "image" | "video";

const TYPES = ["image", "video"] as const;

let account: TestAccount;
let mediaId: string;

const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
const detections = [
  { id: "det_a_1", category: "heads", confidence: 0.9, box: [0, 0, 0.5, 0.5] },
  {
    id: "det_a_2",
    category: "heads",
    confidence: 0.1,
    box: [0.5, 0, 0.5, 0.5],
    isOpen: true,
    isOpenByDefault: true,
  },
];

/** The results that revisions of a video need, and its detections in the API's format. */
const KEPT = { attempts: [1], cuts: [0], isTruncated: false };
const DURATION_SECONDS = 6;
const told = detections.map(({ id, category, confidence, isOpen }) => ({
  id,
  category,
  confidence,
  origin: "detector",
  redacted: isOpen !== true,
}));

/** A completed media item with its source and its detections. */
async function completedMedia(of: TestAccount, type: MediaType): Promise<string> {
  const id = await completedPhoto(of);
  if (type === "image") return id;
  await env.DB.prepare(
    "UPDATE media SET media_type = 'video', format = 'mp4', duration_seconds = ? WHERE id = ?",
  )
    .bind(DURATION_SECONDS, id)
    .run();
  await env.DB.prepare("UPDATE media_detections SET detections = '[]' WHERE media_id = ?").bind(id).run();
  await env.MEDIA.put(`${of.accountId}/${id}/work/kept.json`, JSON.stringify(KEPT));
  const lines = told.map((one) => JSON.stringify(one)).join(",\n");
  await env.MEDIA.put(`${of.accountId}/${id}/detections.00000`, lines);
  return id;
}

/** A completed photo with its source and its detections. */
async function completedPhoto(of: TestAccount): Promise<string> {
  const { id } = await uploaded(of.apiKey, { filename: "street.png" });
  await completed(of.accountId, id);
  await env.DB.prepare("UPDATE media SET source_expires_at = ? WHERE id = ?")
    .bind(Date.now() + 3_600_000, id)
    .run();
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, ?, 1, 0)",
  )
    .bind(id, of.accountId, JSON.stringify(detections))
    .run();
  return id;
}

beforeEach(async () => {
  account = await createAccount();
  mediaId = await completedPhoto(account);
});

async function revise(
  body: unknown,
  options: { id?: string; apiKey?: string; headers?: Record<string, string>; query?: string } = {},
): Promise<Response> {
  const { id = mediaId, apiKey = account.apiKey, headers = {}, query = "" } = options;
  return await call(`/media/${id}/revisions${query}`, {
    method: "POST",
    apiKey,
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function countOf(table: string): Promise<number> {
  const row = await env.DB.prepare(`SELECT count(*) AS total FROM ${table} WHERE account_id = ?`)
    .bind(account.accountId)
    .first<{ total: number }>();
  return row?.total ?? 0;
}

/** All stored data of the account except its rate limit. */
async function state(): Promise<unknown> {
  const tables = ["media", "media_revisions", "media_detections", "idempotency_keys", "events", "usage"];
  return await Promise.all(tables.map(countOf));
}

/** Expects a refusal that leaves nothing behind. */
async function refused(response: Response, status: number): Promise<Record<string, unknown>> {
  expect(response.status).toBe(status);
  expect(await state()).toEqual([1, 0, 1, 0, 0, 1]);
  return (await errorOf(response)).details;
}

function remaining(answer: Response): number {
  return Number(answer.headers.get("X-RateLimit-Remaining"));
}

/** Changes the photo with an SQL statement that ends before its ID. */
async function set(sql: string): Promise<void> {
  await env.DB.prepare(`${sql} = ?`).bind(mediaId).run();
}

/** A request that names detections, so that all detections of a video are read. */
const NAMING = JSON.stringify({ redact: ["det_a_1"] });

/** Revises the media item with other bindings and an idempotency key. */
async function sendWith(bindings: object, key: string): Promise<Response> {
  return await callWith(bindings, `/media/${mediaId}/revisions`, {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Content-Type": "application/json", "Idempotency-Key": key },
    body: NAMING,
  });
}

test("a revision is a media like any other, with exactly its fields", async () => {
  const response = await revise({ redact: ["det_a_2"], redaction_method: "pixelation" });
  expect(response.status).toBe(201);
  const revision = await bodyOf(response, mediaSchema);
  const first = await bodyOf(await call(`/media/${mediaId}`, { apiKey: account.apiKey }), mediaSchema);
  const { download_url: _url, ...likeFirst } = first;
  expect(revision).toEqual({
    ...likeFirst,
    id: revision.id,
    status: "queued",
    redaction_method: "pixelation",
    created_at: revision.created_at,
    processed_at: null,
  });
  expect(revision.id).not.toBe(mediaId);
  const polled = await bodyOf(await call(`/media/${revision.id}`, { apiKey: account.apiKey }), mediaSchema);
  expect(polled).toEqual(revision);
  const list = await bodyOf(await call("/media", { apiKey: account.apiKey }), mediaCollectionSchema);
  expect(list.data.map(({ id }) => id).toSorted()).toEqual([mediaId, revision.id].toSorted());
  const waiting = await call(`/media/${revision.id}/detections`, { apiKey: account.apiKey });
  expect(waiting.status).toBe(404);
});

test("what it hides is settled when it is asked for, and goes with it", async () => {
  const { id } = await bodyOf(await revise({ redact: ["det_a_2"], regions: [{ box }] }), mediaSchema);
  const row = await env.DB.prepare("SELECT detections FROM media_detections WHERE media_id = ?")
    .bind(id)
    .first<{ detections: string }>();
  const kept = JSON.parse(row?.detections ?? "[]") as { id: string; isOpen?: boolean }[];
  expect(kept.map((one) => [one.id, one.isOpen ?? false])).toEqual([
    ["det_a_1", true],
    ["det_a_2", false],
    [`reg_${id.slice(-12)}_1`, false],
  ]);
  expect((await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey })).status).toBe(204);
  expect(await countOf("media_detections")).toBe(1);
  expect(await countOf("media_revisions")).toBe(0);
  // It had no source, so no event reports a deleted one.
  expect(await countOf("events")).toBe(0);
});

test("it counts nothing against the quota, and one request of the rate limit", async () => {
  stopClock();
  const metered = await createAccount({ imagesPerPeriod: 1, requestsPerMinute: 100 });
  const id = await completedPhoto(metered);
  const before = await call("/usage", { apiKey: metered.apiKey });
  const response = await revise({}, { id, apiKey: metered.apiKey });
  expect(response.status).toBe(201);
  expect(remaining(response)).toBe(remaining(before) - 1);
  const after = await call("/usage", { apiKey: metered.apiKey });
  expect(await after.json()).toEqual(await before.json());
});

describe.for(TYPES)("of a completed %s, what is wrong is told, and leaves nothing behind", (type) => {
  beforeEach(async () => {
    account = await createAccount();
    mediaId = await completedMedia(account, type);
  });

  const rows = HOSTILE_REVISIONS.filter(({ only = type }) => only === type);
  test.for(rows)("$body", async ({ body, details }) => {
    const found = (await refused(await revise(body), 422)) as Details;
    for (const [field, sentence] of Object.entries(details))
      expect(
        JSON.stringify(Object.entries(found).find(([name]) => name === field)?.[1]?.[0])
          ?.slice(1, -1)
          .replaceAll('\\"', '"'),
      ).toMatch(sentence);
  });

  test("another type of body, a body that is too large, an unknown parameter, a key that is too long", async () => {
    const form = await revise("a=1", { headers: { "Content-Type": "application/x-www-form-urlencoded" } });
    expect(await refused(form, 422)).toHaveProperty("body");
    expect(await refused(await revise(`{"redact": "${"x".repeat(4_300_000)}"}`), 422)).toMatchObject({
      body: ["The body is larger than 4194304 bytes, the most that is accepted."],
    });
    expect(await refused(await revise({}, { query: "?dry_run=true" }), 422)).toHaveProperty("dry_run");
    const headers = { "Idempotency-Key": "k".repeat(256) };
    expect(await refused(await revise({}, { headers }), 422)).toHaveProperty("idempotency_key");
  });

  test("text in another character set than UTF-8, whether it says so or not", async () => {
    for (const charset of ["latin1", '"UTF-16"', "utf-7"]) {
      const headers = { "Content-Type": `application/json; charset=${charset}` };
      expect(await refused(await revise({}, { headers }), 422)).toMatchObject({
        body: [`The charset in the Content-Type is "${charset.replaceAll('"', "")}"; expected utf-8.`],
      });
    }
    const latin1 = await call(`/media/${mediaId}/revisions`, {
      method: "POST",
      apiKey: account.apiKey,
      headers: { "Content-Type": "application/json" },
      body: Uint8Array.from('{"redact":"\u00e9"}', (character) => character.charCodeAt(0)),
    });
    expect(await refused(latin1, 422)).toEqual({ body: ["The body is not UTF-8; expected JSON in UTF-8."] });
    const headers = { "Content-Type": 'application/json; charset="UTF-8"' };
    expect((await revise({}, { headers })).status).toBe(201);
  });

  test("ids of another media, also of another tenant's", async () => {
    const stranger = await createAccount();
    const theirs = await completedMedia(stranger, type);
    const mine = await refused(await revise({ redact: [`det_${theirs.slice(-12)}_1`] }), 422);
    expect(mine).toHaveProperty("redact");
    expect(await refused(await revise({}, { id: theirs }), 404)).toEqual({});
    expect(await refused(await revise({}, { id: "no-uuid" }), 404)).toEqual({});
  });

  test("a media that is not completed, that lost its source, and whose detections are not known", async () => {
    await set("UPDATE media SET source_expires_at = 1 WHERE id");
    expect(await refused(await revise({}), 409)).toEqual({ reason: "source_deleted" });
    await set("UPDATE media SET source_expires_at = NULL, source_deleted_at = 1 WHERE id");
    expect(await refused(await revise({}), 409)).toEqual({ reason: "source_deleted" });
    await set("UPDATE media SET status = 'failed' WHERE id");
    expect(await refused(await revise({}), 409)).toEqual({ reason: "not_completed" });
    const other = await completedMedia(account, type);
    await env.DB.prepare("UPDATE media_detections SET orientation = NULL WHERE media_id = ?")
      .bind(other)
      .run();
    const response = await revise({}, { id: other });
    expect((await errorOf(response)).details).toEqual({ reason: "detections_unknown" });
  });
});

describe.for(TYPES)("of the source of one %s there are at most 50 revisions", (type) => {
  test("however many are asked for at once, and a deleted one makes room", async () => {
    account = await createAccount();
    mediaId = await completedMedia(account, type);
    const answers = await Promise.all(Array.from({ length: 60 }, async () => await revise({})));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(50);
    const { id } = await bodyOf(made[0] ?? Response.error(), mediaSchema);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer.status).toBe(422);
      const { details } = await errorOf(answer);
      expect(details["media_id"]).toEqual([
        "The media has 50 revisions; the limit is 50. Delete one that is no longer needed.",
      ]);
    }
    expect(await countOf("media_revisions")).toBe(50);
    expect((await revise({})).status).toBe(422);
    await call(`/media/${id}`, { method: "DELETE", apiKey: account.apiKey });
    expect((await revise({})).status).toBe(201);
  });
});

describe("idempotency keys", () => {
  const headers = { "Idempotency-Key": "one" };

  test("answer the same order again, and refuse another", async () => {
    const first = await revise({ redact: ["det_a_1", "det_a_2"] }, { headers });
    const again = await revise({ redact: ["det_a_2", "det_a_1"], except: [] }, { headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    const other = await revise({ redact: ["det_a_1"] }, { headers });
    expect(other.status).toBe(409);
    expect((await errorOf(other)).details).toEqual({ reason: "idempotency_key_reused" });
    expect(await countOf("media_revisions")).toBe(1);
  });

  test("make one revision of many requests at once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, async () => await revise({}, { headers })));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(await countOf("media_revisions")).toBe(1);
  });

  test("are free again after a refusal", async () => {
    expect((await revise({ redact: ["nobody"] }, { headers })).status).toBe(422);
    expect((await revise({}, { headers })).status).toBe(201);
  });
});

test.for(TYPES)("storage failing at any call of one of a %s makes one revision or none", async (type) => {
  account = await createAccount();
  mediaId = await completedMedia(account, type);
  await sendWithFailingStorage(sendWith, async (key, made) => {
    expect({ key, made: await countOf("media_revisions") }).toEqual({ key, made });
  });
});
