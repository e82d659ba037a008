import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { callWith, errorOf } from "../support/api.ts";
import { completed, storedOf } from "../support/leftovers.ts";
import { queueImages } from "../support/queued-jobs.ts";
import { create } from "../support/resumable-uploads.ts";
import { uploaded, uploadForm } from "../support/uploads.ts";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM media");
});

async function upload({ apiKey }: TestAccount, limits: object, body?: BodyInit): Promise<Response> {
  return await callWith(limits, "/media/redact", {
    method: "POST",
    apiKey,
    headers: { "Idempotency-Key": crypto.randomUUID() },
    body: body ?? (await uploadForm()),
  });
}

test("a full queue refuses the account that fills it, and accepts the others up to their shares", async () => {
  const limits = { MAX_QUEUED_JOBS: "10" };
  const busy = await createAccount({ plan: "Pro" });
  const quiet = await createAccount({ plan: "Pro" });
  await queueImages(busy.accountId, 9, { dueAtMs: Date.now() });
  expect((await upload(busy, limits)).status).toBe(201);

  const refused = await upload(busy, limits);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("Retry-After")).toBe("30");
  expect(await errorOf(refused)).toMatchObject({ code: "server_error", details: {} });
  expect((await storedOf(busy.accountId))["media"]).toBe(10);
  expect((await storedOf(busy.accountId))["keys"]).toBe(1);

  // The quiet account's share is half of the ten.
  for (let photo = 0; photo < 5; photo++) expect((await upload(quiet, limits)).status).toBe(201);
  expect((await upload(quiet, limits)).status).toBe(503);
  await env.DB.prepare("UPDATE media SET status = 'completed' WHERE account_id = ?1")
    .bind(busy.accountId)
    .run();
  expect((await upload(busy, limits)).status).toBe(201);
});

test("shares follow the weights of the plans", async () => {
  const limits = { MAX_QUEUED_JOBS: "10" };
  const [free, pro] = [await createAccount({ plan: "Free" }), await createAccount({ plan: "Pro" })];
  await queueImages(free.accountId, 5, { dueAtMs: Date.now() });
  await queueImages(pro.accountId, 7, { dueAtMs: Date.now() });
  // The Pro account's share is four fifths.
  expect((await upload(free, limits)).status).toBe(503);
  expect((await upload(pro, limits)).status).toBe(201);
  expect((await upload(pro, limits)).status).toBe(503);
});

test("an account whose oldest file has waited too long is refused; one without waiting files is not", async () => {
  const limits = { MAX_QUEUE_AGE_SECONDS: "600" };
  const [late, fresh] = [await createAccount(), await createAccount()];
  await queueImages(late.accountId, 1, { dueAtMs: Date.now() - 599_000 });
  expect((await upload(late, limits)).status).toBe(201);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2_000 });
  expect((await upload(late, limits)).status).toBe(503);
  expect((await upload(fresh, limits)).status).toBe(201);
  vi.useRealTimers();
});

test("the body of a refused upload goes nowhere", async () => {
  const account = await createAccount();
  await queueImages(account.accountId, 1, { dueAtMs: Date.now() });
  const put = vi.spyOn(env.MEDIA, "put");
  const created = vi.spyOn(env.MEDIA, "createMultipartUpload");
  expect((await upload(account, { MAX_QUEUED_JOBS: "1" })).status).toBe(503);
  expect(put).not.toHaveBeenCalled();
  expect(created).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test("a resumable upload does not begin while its file would be refused", async () => {
  const [busy, quiet] = [await createAccount(), await createAccount()];
  await queueImages(busy.accountId, 1, { dueAtMs: Date.now() });
  const bindings = { MAX_QUEUED_JOBS: "1" };
  const refused = await create(busy, 1_000, { bindings });
  expect(refused.status).toBe(503);
  expect(refused.headers.get("Retry-After")).toBe("30");
  expect(refused.headers.get("Tus-Resumable")).toBe("1.0.0");
  expect(refused.headers.has("Location")).toBe(false);
  expect(await errorOf(refused)).toMatchObject({ code: "server_error" });
  const begun = await env.DB.prepare("SELECT count(*) AS total FROM resumable_uploads WHERE account_id = ?1")
    .bind(busy.accountId)
    .first("total");
  expect(begun).toBe(0);
  expect((await create(quiet, 1_000, { bindings })).status).toBe(201);
});

test.for(["revisions", "retry"] as const)(
  "a full queue refuses %s, repeats an earlier answer, and accepts the request later",
  async (kind) => {
    const account = await createAccount();
    const { id } = await uploaded(account.apiKey);
    await completed(account.accountId, id);
    await env.DB.batch([
      env.DB.prepare("UPDATE media SET source_expires_at = ?2 WHERE id = ?1").bind(
        id,
        Date.now() + 3_600_000,
      ),
      kind === "retry"
        ? env.DB.prepare(
            "UPDATE media SET status = 'failed', failure_code = 'retries_spent', failed_at = ?2 WHERE id = ?1",
          ).bind(id, Date.now())
        : env.DB.prepare(
            "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?1, ?2, '[]', 1, 0)",
          ).bind(id, account.accountId),
    ]);
    const request = async (bindings: object, idempotencyKey: string): Promise<Response> =>
      await callWith(bindings, `/media/${id}/${kind}`, {
        method: "POST",
        apiKey: account.apiKey,
        headers: { "Idempotency-Key": idempotencyKey, "Content-Type": "application/json" },
        ...(kind === "revisions" && { body: JSON.stringify({ redact: "all" }) }),
      });
    const first = await request({}, "first");
    expect(first.status).toBe(201);
    await queueImages(account.accountId, 1, { dueAtMs: Date.now() });

    const full = { MAX_QUEUED_JOBS: "1" };
    const refused = await request(full, "second");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("Retry-After")).toBe("30");
    expect(await errorOf(refused)).toMatchObject({ code: "server_error" });
    const repeated = await request(full, "first");
    expect([repeated.status, await repeated.text()]).toEqual([201, await first.text()]);
    expect((await request({}, "second")).status).toBe(201);
  },
);
