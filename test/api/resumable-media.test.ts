import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { isoMedia } from "../support/file-headers.ts";
import {
  arrived,
  beforeUploads,
  begun,
  objectsOf,
  offsetOf,
  redact,
  send,
  sweepAt,
  terminate,
  uploadsLeft,
} from "../support/resumable-uploads.ts";

let owner: TestAccount;
let photo: Uint8Array<ArrayBuffer>;

beforeUploads((uploader) => ({ owner, photo } = uploader));

describe("a media item of an upload", () => {
  test("is refused while bytes are missing, and where its id stands beside another file", async () => {
    const { path, uploadId } = await begun(owner, photo.length);
    await send(path, { offset: 0, body: photo.slice(0, 50) });
    expect((await errorOf(await redact(owner, uploadId))).details).toEqual({
      upload_id: [`The upload is incomplete: 50 of ${photo.length} bytes have arrived.`],
    });
    const both = await redact(owner, uploadId, { more: { source_url: "https://files.example.com/a.png" } });
    expect((await errorOf(both)).details).toMatchObject({
      upload_id: ["`upload_id` and `source_url` are both sent; send one of them."],
    });
    for (const value of ["upl_x", "", 7, null]) {
      const { details } = await errorOf(await redact(owner, uploadId, { more: { upload_id: value } }));
      expect(Object.keys(details)).toEqual(["upload_id"]);
    }
    const form = new FormData();
    form.append("categories[]", "heads");
    form.append("upload_id", uploadId);
    form.append("file", new File([photo], "a.png"));
    const response = await call("/media/redact", { method: "POST", apiKey: owner.apiKey, body: form });
    expect((await errorOf(response)).details).toMatchObject({
      upload_id: ["`upload_id` and `file` are both sent; send one of them."],
    });
    expect(await offsetOf(path)).toBe(50);
  });

  test("is refused under the field that named it, where its video cannot be read", async () => {
    const { uploadId } = await arrived(owner, isoMedia("isom"));
    const response = await redact(owner, uploadId);
    expect(response.status).toBe(422);
    expect((await errorOf(response)).details).toEqual({ upload_id: ["The file has no video track."] });
  });

  test("is one for one key, though the upload is used up, and may be named in a form", async () => {
    const { uploadId } = await arrived(owner, photo);
    const form = (): FormData => {
      const made = new FormData();
      made.append("upload_id", uploadId);
      made.append("filename", "b.png");
      made.append("categories[]", "heads");
      return made;
    };
    const post = { method: "POST", apiKey: owner.apiKey, headers: { "Idempotency-Key": "one" } };
    const first = await bodyOf(await call("/media/redact", { ...post, body: form() }), mediaSchema);
    const second = await call("/media/redact", { ...post, body: form() });
    expect([second.status, second.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    expect(await bodyOf(second, mediaSchema)).toEqual(first);
    expect(first.filename).toBe("b.png");
  });

  test("leaves no file name behind once it is deleted, not even in the response that its idempotency key repeats", async () => {
    const { uploadId } = await arrived(owner, photo);
    const form = new FormData();
    form.append("upload_id", uploadId);
    form.append("filename", "private-name.png");
    form.append("categories[]", "heads");
    const headers = { "Idempotency-Key": "two" };
    const made = await call("/media/redact", { method: "POST", apiKey: owner.apiKey, headers, body: form });
    const { id } = await bodyOf(made, mediaSchema);
    await call(`/media/${id}`, { method: "DELETE", apiKey: owner.apiKey });
    const keys = await env.DB.prepare("SELECT response_body FROM idempotency_keys WHERE account_id = ?")
      .bind(owner.accountId)
      .all();
    expect(keys.results).toHaveLength(1);
    expect(JSON.stringify(keys.results)).not.toContain("private-name");
  });

  test("of fifty requests at once is one, and leaves nothing half done", async () => {
    const { uploadId } = await arrived(owner, photo);
    const responses = await Promise.all(
      Array.from({ length: 50 }, async () => await redact(owner, uploadId)),
    );
    const counts = new Map<number, number>();
    for (const { status } of responses) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(counts.get(201)).toBe(1);
    expect([...counts.keys()].every((status) => [201, 409, 422].includes(status))).toBe(true);
    const rows = await env.DB.prepare("SELECT status FROM media WHERE account_id = ?")
      .bind(owner.accountId)
      .all();
    expect(rows.results).toEqual([{ status: "queued" }]);
  });

  test("keeps its file whenever its upload is deleted, or is not made", async () => {
    const idle = faultyBindings(env, () => undefined);
    await redact(owner, (await arrived(owner, photo)).uploadId, { bindings: idle.bindings });
    const outcomes = new Set<string>();
    for (let at = 1; at <= idle.calls() + 1; at++) {
      owner = await createAccount();
      const { path, uploadId } = await arrived(owner, photo);
      let deleted = 0;
      const deletes = async (step: number): Promise<undefined> => {
        if (step === at) deleted = (await terminate(path)).status;
      };
      const { bindings } = faultyBindings(env, deletes);
      const { status } = await redact(owner, uploadId, { bindings });
      if (deleted === 0) deleted = (await terminate(path)).status;
      await sweepAt(Date.now() + MINUTE_MS);
      const isMade = status === 201;
      expect([at, isMade, await objectsOf(owner)]).toEqual([
        at,
        deleted !== 204,
        isMade ? [expect.stringMatching(/\/source$/)] : [],
      ]);
      outcomes.add(`${deleted} ${status}`);
    }
    expect([...outcomes].sort()).toEqual(["204 422", "404 201", "423 201"]);
  });

  test("that is deleted before it is queued takes its file with it, and no other is made of that", async () => {
    const { uploadId } = await arrived(owner, photo);
    let deleted = 0;
    const { bindings } = faultyBindings(env, async () => {
      const pending = await env.DB.prepare("SELECT id FROM media WHERE account_id = ? AND status = 'pending'")
        .bind(owner.accountId)
        .first<{ id: string }>();
      if (pending === null || deleted !== 0) return undefined;
      const { apiKey } = owner;
      deleted = (await call(`/media/${pending.id}`, { method: "DELETE", apiKey })).status;
      return undefined;
    });
    const { status } = await redact(owner, uploadId, { bindings });
    expect([deleted, status]).toEqual([204, 404]);
    expect((await redact(owner, uploadId)).status).toBe(422);
    expect(await objectsOf(owner)).toEqual([]);
  });

  test("that is refused leaves the upload to be tried again", async () => {
    const poor = await createAccount({ imagesPerPeriod: 0 });
    owner = poor;
    const { uploadId } = await arrived(owner, photo);
    expect((await redact(owner, uploadId)).status).toBe(429);
    expect([await uploadsLeft(owner), (await objectsOf(owner)).length]).toEqual([1, 1]);
    await env.DB.prepare("UPDATE accounts SET images_per_period = NULL WHERE id = ?")
      .bind(owner.accountId)
      .run();
    expect((await redact(owner, uploadId)).status).toBe(201);
  });
});
