import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { parseImageEnv } from "../../src/ground/platform/env.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { consumeImageJobs } from "../../src/work/images/image-jobs.consumer.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call } from "../support/api.ts";
import { Browser, DASHBOARD_ENV } from "../support/browser.ts";
import { HeldQueue } from "../support/held-queue.ts";
import { png } from "../support/images.ts";
import { answerDetections, oneHead } from "../support/jobs.ts";
import { move, placeOf } from "../support/moves.ts";
import { PASSWORD, catchMails, join, signUp } from "../support/people.ts";
import { ask, begun, offsetOf, redact, send, terminate } from "../support/resumable-uploads.ts";
import { uploadForm } from "../support/uploads.ts";

let account: TestAccount;
let email: string;
let photo: Uint8Array<ArrayBuffer>;

beforeEach(async () => {
  account = await createAccount();
  photo = await png({ width: 64, height: 48 });
  const person = await signUp(catchMails());
  email = person.email;
  await join(account.accountId, person.userId, "owner");
  await move(account.accountId);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** The number of an account's rows of a table in the main database and in the second one. */
async function rowsOf(table: string): Promise<(number | undefined)[]> {
  const counts = [env.DB, env.DB_2].map(async (database) => {
    const row = await database
      .prepare(`SELECT count(*) AS total FROM ${table} WHERE account_id = ?`)
      .bind(account.accountId)
      .first<{ total: number }>();
    return row?.total;
  });
  return await Promise.all(counts);
}

/** Delivers what a queue holds to the image Worker, as the queue would. */
async function work(queue: HeldQueue): Promise<void> {
  const permits = queue.permits.splice(0).map(({ body }, index) => {
    return { id: `message-${index}`, timestamp: new Date(), attempts: 1, body };
  });
  const batch = createMessageBatch("veil-images", permits);
  await consumeImageJobs(batch, parseImageEnv({ ...env, IMAGE_JOBS: new HeldQueue().binding }));
  const { explicitAcks } = await getQueueResult(batch, createExecutionContext());
  expect(explicitAcks).toHaveLength(permits.length);
}

test("the dashboard of an account in the second database: sign-in, upload, list, file and revision", async () => {
  const queue = new HeldQueue();
  const browser = new Browser({ ...DASHBOARD_ENV, IMAGE_JOBS: queue.binding });
  const signIn = await browser.visit("/dashboard/sign-in", { form: { email, password: PASSWORD } });
  expect(signIn.status).toBe(303);
  expect(await browser.page("/dashboard")).toContain("Overview");
  const proof = { "X-CSRF-Token": await browser.csrf() };

  const body = await uploadForm({ file: photo, filename: "in-the-second.png" });
  const answer = await browser.visit("/dashboard/media", { body, headers: proof });
  expect(answer.status).toBe(201);
  const { id } = await answer.json<{ id: string }>();
  expect(await rowsOf("media")).toEqual([0, 1]);
  answerDetections(oneHead);
  await work(queue);

  expect(await browser.page("/dashboard/media")).toContain("in-the-second.png");
  expect(await browser.page(`/dashboard/media/${id}`)).toContain("in-the-second.png");
  expect(await browser.page(`/dashboard/media/${id}/edit`)).toContain("heads");
  const revised = await browser.visit(`/dashboard/media/${id}/revisions`, {
    body: `{"redact":"all"}`,
    headers: { ...proof, "Content-Type": "application/json" },
  });
  expect(revised.status).toBe(201);
  await work(queue);
  const { id: revision } = await revised.json<{ id: string }>();
  expect(await browser.page(`/dashboard/media/${revision}`)).toContain("in-the-second.png");
  for (const mediaId of [id, revision]) {
    const download = await call(`/media/${mediaId}/download`, account);
    expect(download.status).toBe(200);
    expect(await download.bytes()).not.toEqual(photo);
  }
  expect(await rowsOf("media")).toEqual([0, 2]);
  expect(await browser.page("/dashboard/audit")).toContain(`/dashboard/media/${revision}`);
});

test("a resumable upload arrives, becomes a media item and is deleted in the second database", async () => {
  const half = Math.floor(photo.length / 2);
  const { path, uploadId } = await begun(account, photo.length);
  expect(await rowsOf("resumable_uploads")).toEqual([0, 1]);
  expect((await send(path, { offset: 0, body: photo.slice(0, half) })).status).toBe(204);
  expect(await offsetOf(path)).toBe(half);
  expect((await send(path, { offset: half, body: photo.slice(half) })).status).toBe(204);
  const media = await bodyOf(await redact(account, uploadId), mediaSchema);
  expect(media).toMatchObject({ status: "queued", file_size_bytes: photo.length });
  expect(await rowsOf("media")).toEqual([0, 1]);
  expect(await rowsOf("resumable_uploads")).toEqual([0, 0]);

  const other = await begun(account, photo.length);
  expect((await terminate(other.path)).status).toBe(204);
  expect((await ask(other.path)).status).toBe(404);
  expect(await rowsOf("resumable_uploads")).toEqual([0, 0]);
});

test("a resumable upload goes on at the same address after a move, and only where it is now", async () => {
  const half = Math.floor(photo.length / 2);
  const { path, uploadId } = await begun(account, photo.length);
  expect((await send(path, { offset: 0, body: photo.slice(0, half) })).status).toBe(204);
  await move(account.accountId);
  expect(await placeOf(account.accountId)).toEqual({ home: "DB", step: null });
  expect(await offsetOf(path)).toBe(half);
  expect((await send(path, { offset: half, body: photo.slice(half) })).status).toBe(204);
  const media = await bodyOf(await redact(account, uploadId), mediaSchema);
  expect(media.file_size_bytes).toBe(photo.length);
  expect(await rowsOf("media")).toEqual([1, 0]);
  // The copy that the move left behind is at the same address.
  expect(await rowsOf("resumable_uploads")).toEqual([0, 1]);
  expect((await ask(path)).status).toBe(404);
  const again = await redact(account, uploadId);
  expect(again.status).toBe(422);
});
