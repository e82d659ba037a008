import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { sha256Hex } from "../../src/ground/platform/ids.ts";
import { waitAtMost } from "../../src/ground/platform/wait-at-most.ts";
import { LOCK_MS } from "../../src/intake/uploads/resumable/upload-lock.ts";
import type { TestAccount } from "../support/accounts.ts";
import { errorOf } from "../support/api.ts";
import {
  NOW,
  beforeUploads,
  begun,
  objectsOf,
  offsetOf,
  redact,
  send,
  terminate,
} from "../support/resumable-uploads.ts";

const SIGN_INTERVAL_MS = 50;

let owner: TestAccount;
let photo: Uint8Array<ArrayBuffer>;

beforeUploads((uploader) => ({ owner, photo } = uploader));

/** Sets who holds an upload, and when the lock expires. */
async function hold(uploadId: string, lockId: string | null, untilMs: number): Promise<void> {
  await env.DB.prepare("UPDATE resumable_uploads SET lock_id = ?, locked_until = ? WHERE id_sha256 = ?")
    .bind(lockId, untilMs, await sha256Hex(uploadId))
    .run();
}

/** Lets another request hold an upload and extend its lock until `promise` settles. */
async function whileHeld(uploadId: string, promise: Promise<Response>): Promise<Response> {
  for (let signs = 1; ; signs++) {
    await hold(uploadId, "other", NOW + LOCK_MS + signs);
    const answer = await waitAtMost(SIGN_INTERVAL_MS, promise);
    if (answer !== undefined) return answer;
  }
}

describe("an upload that another request holds", () => {
  test("is its own while it gives signs of life", async () => {
    const { path, uploadId } = await begun(owner, photo.length);
    await hold(uploadId, "other", NOW + LOCK_MS);
    const refused = await whileHeld(uploadId, send(path, { offset: 0, body: photo }));
    expect([refused.status, (await errorOf(refused)).details]).toEqual([423, { reason: "upload_locked" }]);
    expect((await whileHeld(uploadId, terminate(path))).status).toBe(423);
    expect(await offsetOf(path)).toBe(0);
  });

  test("is waited for, and had as soon as that has died or ended", async () => {
    const { path, uploadId } = await begun(owner, photo.length);
    await hold(uploadId, "other", NOW + LOCK_MS);
    const afterDeath = send(path, { offset: 0, body: photo.slice(0, 50) });
    vi.setSystemTime(NOW + LOCK_MS + 1);
    expect((await afterDeath).status).toBe(204);
    await hold(uploadId, "other", Date.now() + LOCK_MS);
    const afterEnd = send(path, { offset: 50, body: photo.slice(50, 60) });
    await hold(uploadId, null, 0);
    expect((await afterEnd).status).toBe(204);
    await hold(uploadId, "other", Date.now() - 1);
    expect((await terminate(path)).status).toBe(204);
  });

  test("is written by one of two that come at once, and by neither twice", async () => {
    const { path } = await begun(owner, photo.length);
    const both = await Promise.all(
      [0, 0].map(async (offset) => await send(path, { offset, body: photo.slice(0, 3) })),
    );
    expect(both.map(({ status }) => String(status)).sort()).toEqual(["204", "409"]);
    expect(await offsetOf(path)).toBe(3);
  });
});

test("a request that wakes after another has taken its upload over writes nothing", async () => {
  const { path, uploadId } = await begun(owner, photo.length);
  const { readable, writable } = new IdentityTransformStream();
  const client = writable.getWriter();
  const sleeper = send(path, { offset: 0, body: readable });
  await client.write(new Uint8Array(photo.length - 1));
  await hold(uploadId, "other", NOW - 1);
  expect((await send(path, { offset: 0, body: photo })).status).toBe(204);
  vi.setSystemTime(NOW + LOCK_MS);
  await client.write(new Uint8Array(1));
  await client.close();
  expect((await sleeper).status).toBe(423);
  expect(await offsetOf(path)).toBe(photo.length);
  const [key = "", ...others] = await objectsOf(owner);
  expect([others, await (await env.MEDIA.get(key))?.bytes()]).toEqual([[], photo]);
  expect((await redact(owner, uploadId)).status).toBe(201);
});
