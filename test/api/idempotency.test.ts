import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import {
  extendIdempotencyLock,
  lockIdempotencyKey,
} from "../../src/records/idempotency/idempotency.repository.ts";
import { createAccount, createKey } from "../support/accounts.ts";
import { callWith, errorOf } from "../support/api.ts";
import { png } from "../support/images.ts";
import { storedOf } from "../support/leftovers.ts";
import { upload, uploadForm, type UploadParts } from "../support/uploads.ts";

const KEY = { "Idempotency-Key": "order-17" };
const FILE = await png({ width: 10, height: 10 });
const OTHER_FILE = await png({ width: 11, height: 10 });

afterEach(() => {
  vi.useRealTimers();
});

async function failingPut(): Promise<never> {
  return await Promise.reject(new Error("Storage is out of reach."));
}

/** Uploads with the same key and summarizes the answer. */
async function send(apiKey: string, parts: UploadParts = {}) {
  const response = await upload(apiKey, { file: FILE, ...parts }, KEY);
  const isReplay = response.headers.get("Idempotency-Replayed");
  if (response.status === 201)
    return { status: 201, isReplay, body: await response.text(), reason: undefined };
  const { details } = await errorOf(response);
  return { status: response.status, isReplay, body: "", reason: details["reason"], response };
}

describe("the same key", () => {
  test("and the same upload answers the same bytes again, and stores and counts nothing", async () => {
    const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 1 });
    const first = await send(apiKey);
    expect(first).toMatchObject({ status: 201, isReplay: null });
    const second = await send(apiKey);
    expect(second).toEqual({ ...first, isReplay: "true" });
    expect(await storedOf(accountId)).toEqual({ media: 1, objects: 1, keys: 1, purges: 0 });
  });

  test("replays for another key of the account and for categories in another order, even once deleted", async () => {
    const { apiKey, accountId } = await createAccount();
    const other = await createKey(accountId);
    const first = await send(apiKey, { categories: ["heads", "tattoos"] });
    await env.DB.prepare("DELETE FROM media WHERE account_id = ?").bind(accountId).run();
    const second = await send(other.apiKey, { categories: ["tattoos", "heads", "heads"] });
    expect(second).toEqual({ ...first, isReplay: "true" });
  });

  test("is free for another account", async () => {
    const [one, two] = [await createAccount(), await createAccount()];
    expect(await send(one.apiKey)).toMatchObject({ status: 201, isReplay: null });
    expect(await send(two.apiKey)).toMatchObject({ status: 201, isReplay: null });
  });

  test.for<[string, UploadParts]>([
    ["file", { file: OTHER_FILE }],
    ["name", { filename: "other.png" }],
    ["categories", { categories: ["tattoos"] }],
    ["method", { method: "pixelation" }],
  ])("and another %s is 409, reused", async ([, parts]) => {
    const { apiKey, accountId } = await createAccount();
    await send(apiKey);
    expect(await send(apiKey, parts)).toMatchObject({ status: 409, reason: "idempotency_key_reused" });
    expect(await storedOf(accountId)).toEqual({ media: 1, objects: 1, keys: 1, purges: 0 });
    expect(await send(apiKey)).toMatchObject({ status: 201, isReplay: "true" });
  });

  test("while the first request runs is 409, in use, with Retry-After: 1", async () => {
    const { apiKey, accountId } = await createAccount();
    const lock = { accountId, key: KEY["Idempotency-Key"], lockId: "first" };
    await lockIdempotencyKey(openDatabase(env.DB, "primary"), lock, Date.now());
    for (const parts of [{}, { method: "pixelation" }]) {
      const answer = await send(apiKey, parts);
      expect(answer).toMatchObject({ status: 409, reason: "idempotency_key_in_use" });
      expect(answer.response?.headers.get("Retry-After")).toBe("1");
    }
    expect(await storedOf(accountId)).toEqual({ media: 0, objects: 0, keys: 1, purges: 0 });
  });

  test("is kept for 24 hours from the first request and is free then", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 4, 1) });
    const { apiKey } = await createAccount();
    const first = await send(apiKey);
    vi.setSystemTime(Date.UTC(2026, 4, 1) + DAY_MS - 1);
    expect(await send(apiKey)).toEqual({ ...first, isReplay: "true" });
    vi.setSystemTime(Date.UTC(2026, 4, 1) + DAY_MS);
    const next = await send(apiKey, { method: "pixelation" });
    expect(next).toMatchObject({ status: 201, isReplay: null });
  });

  test("of a request that died is taken over once its lock runs out, not while it is kept", async () => {
    const start = Date.UTC(2026, 4, 1);
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    const { apiKey, accountId } = await createAccount();
    const database = openDatabase(env.DB, "primary");
    const lock = { accountId, key: KEY["Idempotency-Key"], lockId: "dead" };
    await lockIdempotencyKey(database, lock, start);
    vi.setSystemTime(start + 2 * MINUTE_MS - 1);
    expect((await send(apiKey)).reason).toBe("idempotency_key_in_use");
    await extendIdempotencyLock(database, lock, Date.now());
    vi.setSystemTime(start + 4 * MINUTE_MS - 2);
    expect((await send(apiKey)).reason).toBe("idempotency_key_in_use");
    vi.setSystemTime(start + 4 * MINUTE_MS - 1);
    expect(await send(apiKey)).toMatchObject({ status: 201, isReplay: null });
  });

  test("that another request has taken over answers the first 409, whatever the quota says", async () => {
    const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 5 });
    const put = async (...args: Parameters<R2Bucket["put"]>) => {
      await env.DB.prepare("UPDATE idempotency_keys SET lock_id = 'other' WHERE account_id = ?")
        .bind(accountId)
        .run();
      return await env.MEDIA.put(...args);
    };
    const MEDIA = { put, list: env.MEDIA.list.bind(env.MEDIA), delete: env.MEDIA.delete.bind(env.MEDIA) };
    const response = await callWith({ MEDIA }, "/media/redact", {
      method: "POST",
      apiKey,
      headers: KEY,
      body: await uploadForm({ file: FILE }),
    });
    expect(response.status).toBe(409);
    expect((await errorOf(response)).details).toEqual({ reason: "idempotency_key_in_use" });
    expect(await storedOf(accountId)).toMatchObject({ media: 0, objects: 0 });
  });
});

describe("a key is free again after", () => {
  test("a 422", async () => {
    const { apiKey } = await createAccount();
    expect((await upload(apiKey, { categories: ["faces"] }, KEY)).status).toBe(422);
    expect(await send(apiKey)).toMatchObject({ status: 201, isReplay: null });
  });

  test("a 429", async () => {
    const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 0 });
    expect((await send(apiKey)).status).toBe(429);
    await env.DB.prepare("UPDATE accounts SET images_per_period = 1 WHERE id = ?").bind(accountId).run();
    expect(await send(apiKey)).toMatchObject({ status: 201, isReplay: null });
  });

  test("a 500", async () => {
    const { apiKey, accountId } = await createAccount();
    const MEDIA = {
      put: failingPut,
      list: env.MEDIA.list.bind(env.MEDIA),
      delete: env.MEDIA.delete.bind(env.MEDIA),
    };
    const form = new FormData();
    form.append("categories[]", "heads");
    form.append("file", new File([FILE], "photo.png"));
    const options = { method: "POST", apiKey, headers: KEY, body: form };
    expect((await callWith({ MEDIA }, "/media/redact", options)).status).toBe(500);
    expect(await storedOf(accountId)).toEqual({ media: 0, objects: 0, keys: 0, purges: 0 });
    expect(await send(apiKey)).toMatchObject({ status: 201, isReplay: null });
  });
});

test("50 clients with one key make one media item; the others get its answer or must wait", async () => {
  const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 1 });
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await send(apiKey)));
  const made = answers.filter(({ status, isReplay }) => status === 201 && isReplay === null);
  expect(made).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 201) expect(answer.body).toBe(made[0]?.body);
    else expect(answer).toMatchObject({ status: 409, reason: "idempotency_key_in_use" });
  }
  expect(await storedOf(accountId)).toEqual({ media: 1, objects: 1, keys: 1, purges: 0 });
  expect(await send(apiKey)).toMatchObject({ status: 201, isReplay: "true", body: made[0]?.body });
});
