import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { mediaSchema } from "../../src/media/media.schemas.ts";
import { sweep } from "../../src/maintenance/sweeper.ts";
import { sourceKey } from "../../src/media/media.objects.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/clock.ts";
import { parseApiEnv } from "../../src/platform/env.ts";
import { sha256Hex } from "../../src/platform/ids.ts";
import { PART_BYTES } from "../../src/uploads/resumable-parts.ts";
import { createAccount } from "../support/accounts.ts";
import { BASE, bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { png } from "../support/images.ts";

const NOW = Date.UTC(2026, 5, 1);
const OFFSET_STREAM = "application/offset+octet-stream";

let owner: Awaited<ReturnType<typeof createAccount>>;
let photo: Uint8Array<ArrayBuffer>;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  owner = await createAccount();
  photo = await png({ width: 32, height: 24 });
});

afterEach(() => {
  vi.useRealTimers();
});

type Headers = Readonly<Record<string, string>>;

async function create(
  lengthBytes: number | string,
  headers: Headers = {},
  bindings: object = {},
): Promise<Response> {
  return await callWith(bindings, "/uploads", {
    method: "POST",
    apiKey: owner.apiKey,
    headers: { "Tus-Resumable": "1.0.0", "Upload-Length": String(lengthBytes), ...headers },
  });
}

/** Begins an upload; its path below the API, and its id. */
async function begun(
  lengthBytes: number,
  headers: Headers = {},
): Promise<{ path: string; uploadId: string }> {
  const response = await create(lengthBytes, headers);
  expect(response.status).toBe(201);
  const location = response.headers.get("Location") ?? "";
  expect(location.startsWith(`${BASE}/uploads/upl_`)).toBe(true);
  return { path: location.slice(BASE.length), uploadId: location.split("/").at(-1) ?? "" };
}

async function send(
  path: string,
  {
    offset,
    body,
    headers = {},
    bindings = {},
  }: { offset: number; body: BodyInit; headers?: Headers; bindings?: object },
): Promise<Response> {
  return await callWith(bindings, path, {
    method: "PATCH",
    headers: {
      "Tus-Resumable": "1.0.0",
      "Content-Type": OFFSET_STREAM,
      "Upload-Offset": String(offset),
      ...headers,
    },
    body,
  });
}

async function ask(path: string): Promise<Response> {
  return await call(path, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } });
}

async function offsetOf(path: string): Promise<number> {
  return Number((await ask(path)).headers.get("Upload-Offset"));
}

async function redact(uploadId: string, headers: Headers = {}, more: object = {}): Promise<Response> {
  return await call("/media/redact", {
    method: "POST",
    apiKey: owner.apiKey,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ upload_id: uploadId, categories: ["heads"], ...more }),
  });
}

async function objectsOf(accountId: string): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `${accountId}/` });
  return objects.map(({ key }) => key);
}

async function uploadsLeft(): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS n FROM resumable_uploads WHERE account_id = ?")
    .bind(owner.accountId)
    .first<{ n: number }>();
  return row?.n ?? -1;
}

async function sweepAt(timeMs: number): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(parseApiEnv({ ...env }));
}

/** Bytes that tell where they lie. */
function numbered(lengthBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthBytes);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 4 <= lengthBytes; at += 4) view.setUint32(at, Math.imul(at, 2_654_435_761));
  return bytes;
}

async function base64Sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return btoa(String.fromCodePoint(...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))));
}

describe("a file in parts", () => {
  test("becomes a media item without an API key where its bytes go, and is used up by it", async () => {
    const name = btoa("street one.png");
    const { path, uploadId } = await begun(photo.length, { "Upload-Metadata": `filename ${name},kind` });
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
    const media = await bodyOf(await redact(uploadId), mediaSchema);
    expect(media).toMatchObject({
      status: "queued",
      filename: "street one.png",
      file_size_bytes: photo.length,
    });
    const key = sourceKey({ accountId: owner.accountId, mediaId: media.id });
    expect(await objectsOf(owner.accountId)).toEqual([key]);
    expect(await (await env.MEDIA.get(key))?.bytes()).toEqual(photo);
    expect(await uploadsLeft()).toBe(0);
    expect((await ask(path)).status).toBe(404);
    expect((await errorOf(await redact(uploadId))).details).toEqual({
      upload_id: [expect.stringContaining("no such upload")],
    });
  });

  test("comes whole over parts of R2, whatever the lengths of its requests", async () => {
    const bytes = numbered(2 * PART_BYTES + 12_345);
    const { path, uploadId } = await begun(bytes.length);
    const ends = [1, 100, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 7, bytes.length];
    let offset = 0;
    for (const end of ends) {
      expect((await send(path, { offset, body: bytes.slice(offset, end) })).status).toBe(204);
      expect(await offsetOf(path)).toBe(end);
      offset = end;
    }
    const [key = "", ...others] = await objectsOf(owner.accountId);
    expect(others).toEqual([]);
    const stored = await (await env.MEDIA.get(key))?.arrayBuffer();
    expect(await sha256Of(stored)).toBe(await sha256Of(bytes.buffer));
    expect((await errorOf(await redact(uploadId))).details).toEqual({
      upload_id: [expect.stringContaining("no known media format")],
    });
  });

  test("begins with its creation where that brings bytes", async () => {
    const response = await call("/uploads", {
      method: "POST",
      apiKey: owner.apiKey,
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": String(photo.length),
        "Content-Type": OFFSET_STREAM,
      },
      body: photo,
    });
    expect([response.status, response.headers.get("Upload-Offset")]).toEqual([201, String(photo.length)]);
    const { upload_id: uploadId } = await response.json<{ upload_id: string }>();
    expect((await redact(uploadId, {}, { filename: "named.png" })).status).toBe(201);
  });

  test("keeps what came before the connection broke, and goes on from there", async () => {
    const { path } = await begun(photo.length);
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
    const { path, uploadId } = await begun(photo.length);
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

async function sha256Of(bytes: ArrayBuffer | undefined): Promise<string> {
  return [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes ?? new ArrayBuffer(0)))].join();
}

describe("the protocol", () => {
  test("tells what of it is offered", async () => {
    const response = await call("/uploads", { method: "OPTIONS" });
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      204,
      {
        "tus-version": "1.0.0",
        "tus-extension": "creation,creation-with-upload,termination,expiration,checksum",
        "tus-checksum-algorithm": "sha256",
        "tus-max-size": "5000000000",
      },
    ]);
  });

  test.for<[string, number, Headers, number, RegExp]>([
    ["another version", 10, { "Tus-Resumable": "0.2.2" }, 412, /expected 1\.0\.0/],
    ["no length", 10, { "Upload-Length": "" }, 400, /expected a whole number of bytes/],
    ["a negative length", 10, { "Upload-Length": "-1" }, 400, /expected a whole number of bytes/],
    ["a length in words", 10, { "Upload-Length": "1e3" }, 400, /expected a whole number of bytes/],
    ["nothing at all", 0, {}, 400, /at least 1 byte/],
    ["too much", 5_000_000_001, {}, 413, /the limit is 5000000000 bytes/],
    ["a length to come", 10, { "Upload-Defer-Length": "1" }, 400, /not supported/],
    ["a name that is a path", 10, { "Upload-Metadata": `filename ${btoa("../a.png")}` }, 400, /is a path/],
    ["metadata that is none", 10, { "Upload-Metadata": "filename not*base64" }, 400, /pairs of a key/],
    ["metadata twice", 10, { "Upload-Metadata": "a YQ==,a YQ==" }, 400, /each key once/],
    ["much metadata", 10, { "Upload-Metadata": "a".repeat(4097) }, 400, /the limit is 4096/],
  ])("refuses a creation with %s", async ([, lengthBytes, headers, status, sentence]) => {
    const response = await create(lengthBytes, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get("Tus-Resumable")).toBe("1.0.0");
    expect((await errorOf(response)).message).toMatch(sentence);
    expect(await uploadsLeft()).toBe(0);
  });

  test("needs a key to begin, and none of its own to be refused", async () => {
    const response = await call("/uploads", {
      method: "POST",
      headers: { "Tus-Resumable": "1.0.0", "Upload-Length": "10" },
    });
    expect(response.status).toBe(401);
  });

  test("refuses bytes of another offset, type or number, and keeps none of them", async () => {
    const { path } = await begun(10);
    const before = await send(path, { offset: 3, body: "abc" });
    expect([before.status, (await errorOf(before)).details]).toEqual([
      409,
      { reason: "offset_mismatch", upload_offset: 0 },
    ]);
    expect(
      (await send(path, { offset: 0, body: "abc", headers: { "Content-Type": "text/plain" } })).status,
    ).toBe(415);
    expect((await send(path, { offset: 0, body: "0123456789a" })).status).toBe(413);
    expect(await offsetOf(path)).toBe(0);
    expect((await send(path, { offset: 0, body: "" })).status).toBe(204);
    expect((await call(path, { method: "PATCH" })).status).toBe(412);
    expect((await call(path)).status).toBe(401);
  });

  test("takes bytes with their checksum, all or none", async () => {
    const { path } = await begun(photo.length);
    const half = photo.slice(0, 40);
    const sum = await base64Sha256(half);
    const wrong = await send(path, {
      offset: 0,
      body: photo.slice(1, 41),
      headers: { "Upload-Checksum": `sha256 ${sum}` },
    });
    expect([wrong.status, await offsetOf(path)]).toEqual([460, 0]);
    for (const value of [`sha1 ${sum}`, "sha256", "sha256 abc", `sha256 ${sum} x`]) {
      const response = await send(path, { offset: 0, body: half, headers: { "Upload-Checksum": value } });
      expect([value, response.status]).toEqual([value, 400]);
    }
    const right = await send(path, {
      offset: 0,
      body: half,
      headers: { "Upload-Checksum": `sha256 ${sum}` },
    });
    expect([right.status, await offsetOf(path)]).toEqual([204, 40]);
  });

  test("is understood in POST for clients whose proxies know few methods", async () => {
    const { path } = await begun(3);
    const response = await call(path, {
      method: "POST",
      headers: {
        "X-HTTP-Method-Override": "PATCH",
        "Tus-Resumable": "1.0.0",
        "Content-Type": OFFSET_STREAM,
        "Upload-Offset": "0",
      },
      body: "abc",
    });
    expect([response.status, await offsetOf(path)]).toEqual([204, 3]);
  });

  test("gives one upload to one request at a time, and to the next once that has died", async () => {
    const { path, uploadId } = await begun(10);
    await env.DB.prepare(
      "UPDATE resumable_uploads SET lock_id = 'other', locked_until = ? WHERE id_sha256 = ?",
    )
      .bind(NOW + MINUTE_MS, await sha256Hex(uploadId))
      .run();
    const locked = await send(path, { offset: 0, body: "abc" });
    expect([locked.status, (await errorOf(locked)).details]).toEqual([423, { reason: "upload_locked" }]);
    expect((await call(path, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } })).status).toBe(423);
    vi.setSystemTime(NOW + MINUTE_MS + 1);
    expect((await send(path, { offset: 0, body: "abc" })).status).toBe(204);
    const both = await Promise.all([3, 3].map(async (offset) => await send(path, { offset, body: "def" })));
    expect(both.map(({ status }) => status)).toContain(204);
    expect(await offsetOf(path)).toBe(6);
  });

  test("ends an upload and all that is stored of it", async () => {
    const { path } = await begun(PART_BYTES + 10);
    await send(path, { offset: 0, body: numbered(PART_BYTES + 5) });
    expect((await call(path, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } })).status).toBe(204);
    expect((await ask(path)).status).toBe(404);
    await sweepAt(NOW + MINUTE_MS);
    expect(await objectsOf(owner.accountId)).toEqual([]);
  });

  test("forgets an upload whose time is over, with all that is stored of it", async () => {
    const { path, uploadId } = await begun(photo.length);
    await send(path, { offset: 0, body: photo.slice(0, 50) });
    await sweepAt(NOW + 24 * HOUR_MS - 1);
    expect(await offsetOf(path)).toBe(50);
    vi.setSystemTime(NOW + 24 * HOUR_MS + 1);
    expect((await ask(path)).status).toBe(410);
    expect((await send(path, { offset: 50, body: photo.slice(50) })).status).toBe(410);
    expect((await redact(uploadId)).status).toBe(422);
    await sweepAt(NOW + 24 * HOUR_MS + 1);
    expect([await uploadsLeft(), await objectsOf(owner.accountId)]).toEqual([0, []]);
    expect((await ask(path)).status).toBe(404);
  });
});

describe("a media item of an upload", () => {
  test("is refused while bytes are missing, and where its id stands beside another file", async () => {
    const { path, uploadId } = await begun(photo.length);
    await send(path, { offset: 0, body: photo.slice(0, 50) });
    expect((await errorOf(await redact(uploadId))).details).toEqual({
      upload_id: [`Of the upload, 50 of ${photo.length} bytes have arrived; send the others first.`],
    });
    const both = await redact(uploadId, {}, { source_url: "https://files.example.com/a.png" });
    expect((await errorOf(both)).details).toMatchObject({
      upload_id: ["`upload_id` and `source_url` are both sent; send one of them."],
    });
    for (const value of ["upl_x", "", 7, null]) {
      const { details } = await errorOf(await redact(uploadId, {}, { upload_id: value }));
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

  test("is one for one key, though the upload is used up, and may be named in a form", async () => {
    const { path, uploadId } = await begun(photo.length);
    await send(path, { offset: 0, body: photo });
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

  test("of fifty requests at once is one, and leaves nothing half done", async () => {
    const { path, uploadId } = await begun(photo.length);
    await send(path, { offset: 0, body: photo });
    const responses = await Promise.all(Array.from({ length: 50 }, async () => await redact(uploadId)));
    const counts = new Map<number, number>();
    for (const { status } of responses) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect(counts.get(201)).toBe(1);
    expect([...counts.keys()].every((status) => [201, 409, 422].includes(status))).toBe(true);
    const rows = await env.DB.prepare("SELECT status FROM media WHERE account_id = ?")
      .bind(owner.accountId)
      .all();
    expect(rows.results).toEqual([{ status: "queued" }]);
  });

  test("that is refused leaves the upload to be tried again", async () => {
    const poor = await createAccount({ imagesPerPeriod: 0 });
    owner = poor;
    const { path, uploadId } = await begun(photo.length);
    await send(path, { offset: 0, body: photo });
    expect((await redact(uploadId)).status).toBe(429);
    expect([await uploadsLeft(), (await objectsOf(owner.accountId)).length]).toEqual([1, 1]);
    await env.DB.prepare("UPDATE accounts SET images_per_period = NULL WHERE id = ?")
      .bind(owner.accountId)
      .run();
    expect((await redact(uploadId)).status).toBe(201);
  });

  test("storage failing at any call, before or after it happened, loses no byte and makes one media item", async () => {
    const bytes = new Uint8Array(PART_BYTES + 20);
    bytes.set(photo);
    for (const when of ["before", "after"] as const) {
      for (let failing = 1; failing <= 14; failing++) {
        const { path, uploadId } = await begun(bytes.length);
        const fails = (count: number): Error | undefined =>
          count === failing ? new Error("Storage failed.") : undefined;
        const faulty = faultyBindings(env, fails, when);
        await send(path, { offset: 0, body: bytes.slice(0, PART_BYTES + 7), bindings: faulty.bindings });
        vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
        for (let tries = 0; tries < 3; tries++) {
          const at = await offsetOf(path);
          if (at < bytes.length) await send(path, { offset: at, body: bytes.slice(at) });
        }
        expect([when, failing, await offsetOf(path)]).toEqual([when, failing, bytes.length]);
        const row = await env.DB.prepare("SELECT media_id FROM resumable_uploads WHERE id_sha256 = ?")
          .bind(await sha256Hex(uploadId))
          .first<{ media_id: string }>();
        const key = sourceKey({ accountId: owner.accountId, mediaId: row?.media_id ?? "" });
        const stored = await (await env.MEDIA.get(key))?.arrayBuffer();
        expect([when, failing, await sha256Of(stored)]).toEqual([
          when,
          failing,
          await sha256Of(bytes.buffer),
        ]);
        await call(path, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0" } });
      }
    }
  }, 120_000);
});
