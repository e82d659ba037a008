import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { sourceKey } from "../../src/records/media/media.objects.ts";
import { HOUR_MS } from "../../src/ground/platform/clock.ts";
import { sha256Hex } from "../../src/ground/platform/ids.ts";
import { PART_BYTES } from "../../src/ground/platform/part-room.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import {
  NOW,
  OFFSET_STREAM,
  create,
  ask,
  beforeUploads,
  begun,
  objectsOf,
  offsetOf,
  padded,
  redact,
  send,
  sha256Of,
  uploadsLeft,
} from "../support/resumable-uploads.ts";

let owner: TestAccount;
let photo: Uint8Array<ArrayBuffer>;

beforeUploads((uploader) => ({ owner, photo } = uploader));

describe("a file in parts", () => {
  test("becomes a media item without an API key where its bytes go, and is used up by it", async () => {
    const name = btoa("street one.png");
    const { path, uploadId } = await begun(owner, photo.length, {
      "Upload-Metadata": `filename ${name},kind`,
    });
    for (let at = 0; at < photo.length; at += 100) {
      const response = await send(path, { offset: at, body: photo.slice(at, at + 100) });
      expect(response.status).toBe(204);
      expect(response.headers.get("Upload-Offset")).toBe(String(Math.min(photo.length, at + 100)));
    }
    const asked = await ask(path);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      "upload-offset": String(photo.length),
      "upload-length": String(photo.length),
      "upload-metadata": `filename ${name},kind`,
      "upload-expires": new Date(NOW + 24 * HOUR_MS).toUTCString(),
      "cache-control": "no-store",
      "tus-resumable": "1.0.0",
    });
    const media = await bodyOf(await redact(owner, uploadId), mediaSchema);
    expect(media).toMatchObject({
      status: "queued",
      filename: "street one.png",
      file_size_bytes: photo.length,
    });
    const key = sourceKey({ accountId: owner.accountId, mediaId: media.id });
    expect(await objectsOf(owner)).toEqual([key]);
    expect(await (await env.MEDIA.get(key))?.bytes()).toEqual(photo);
    expect(await uploadsLeft(owner)).toBe(0);
    expect((await ask(path)).status).toBe(404);
    expect((await errorOf(await redact(owner, uploadId))).details).toEqual({
      upload_id: [expect.stringContaining("no such upload")],
    });
  });

  test("comes whole over parts of R2, whatever the lengths of its requests", async () => {
    const bytes = padded(photo, 2 * PART_BYTES + 12_345);
    const { path, uploadId } = await begun(owner, bytes.length);
    const ends = [1, 100, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 7, bytes.length];
    let offset = 0;
    for (const end of ends) {
      expect((await send(path, { offset, body: bytes.slice(offset, end) })).status).toBe(204);
      expect(await offsetOf(path)).toBe(end);
      offset = end;
    }
    const [key = "", ...others] = await objectsOf(owner);
    expect(others).toEqual([]);
    const stored = await (await env.MEDIA.get(key))?.arrayBuffer();
    expect(await sha256Of(stored)).toBe(await sha256Of(bytes));
    const row = env.DB.prepare("SELECT sha256, sha256_state FROM resumable_uploads WHERE account_id = ?");
    expect(await row.bind(owner.accountId).first()).toEqual({
      sha256: await sha256Of(bytes),
      sha256_state: null,
    });
    expect((await redact(owner, uploadId)).status).toBe(201);
  });

  test("begins with its creation where that brings bytes", async () => {
    const headers = { "Content-Type": OFFSET_STREAM };
    const response = await create(owner, photo.length, { headers, body: photo });
    expect([response.status, response.headers.get("Upload-Offset")]).toEqual([201, String(photo.length)]);
    const { upload_id: uploadId } = await response.json<{ upload_id: string }>();
    expect((await redact(owner, uploadId, { more: { filename: "named.png" } })).status).toBe(201);
  });

  test("keeps what came before the connection broke, and goes on from there", async () => {
    const { path } = await begun(owner, photo.length);
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(photo.slice(0, 50));
      },
      pull(controller) {
        controller.error(new Error("gone"));
      },
    });
    await send(path, { offset: 0, body: broken }).catch(() => undefined);
    expect(await offsetOf(path)).toBe(50);
    expect((await send(path, { offset: 50, body: photo.slice(50) })).status).toBe(204);
  });

  test("is never another account's, and its address tells nothing of it elsewhere", async () => {
    const { path, uploadId } = await begun(owner, photo.length);
    await send(path, { offset: 0, body: photo });
    const other = await createAccount();
    const response = await call("/media/redact", {
      method: "POST",
      apiKey: other.apiKey,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ upload_id: uploadId, categories: ["heads"] }),
    });
    expect((await errorOf(response)).details).toEqual({
      upload_id: [expect.stringContaining("no such upload in this account")],
    });
    expect((await ask(`/uploads/upl_${"A".repeat(43)}`)).status).toBe(404);
    const row = await env.DB.prepare("SELECT * FROM resumable_uploads WHERE account_id = ?")
      .bind(owner.accountId)
      .first();
    expect(row?.["id_sha256"]).toBe(await sha256Hex(uploadId));
    expect(JSON.stringify(row)).not.toContain(uploadId);
  });
});
