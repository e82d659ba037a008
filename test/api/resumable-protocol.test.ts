import { describe, expect, test, vi } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { PART_BYTES } from "../../src/ground/platform/part-room.ts";
import { call, errorOf } from "../support/api.ts";
import type { TestAccount } from "../support/accounts.ts";
import {
  checksumOf,
  NOW,
  OFFSET_STREAM,
  TUS,
  ask,
  beforeUploads,
  begun,
  create,
  objectsOf,
  offsetOf,
  padded,
  redact,
  send,
  sweepAt,
  terminate,
  uploadsLeft,
  type Headers,
} from "../support/resumable-uploads.ts";

let owner: TestAccount;
let photo: Uint8Array<ArrayBuffer>;

beforeUploads((uploader) => ({ owner, photo } = uploader));

describe("the protocol", () => {
  test("tells what of it is offered", async () => {
    const response = await call("/uploads", { method: "OPTIONS" });
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      204,
      {
        "tus-version": "1.0.0",
        "tus-extension": "creation,creation-with-upload,termination,expiration,checksum",
        "tus-checksum-algorithm": "sha256,sha1",
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
    ["an endless length", 10, { "Upload-Length": "9".repeat(16) }, 400, /expected a whole number of bytes/],
    ["a length to come", 10, { "Upload-Defer-Length": "1" }, 400, /not supported; send `Upload-Length`/],
    [
      "a part of another",
      10,
      { "Upload-Concat": "partial" },
      400,
      /not supported; send the file in one upload/,
    ],
    ["a name that is a path", 10, { "Upload-Metadata": `filename ${btoa("../a.png")}` }, 400, /is a path/],
    ["metadata that is none", 10, { "Upload-Metadata": "filename not*base64" }, 400, /pairs of a key/],
    ["metadata twice", 10, { "Upload-Metadata": "a YQ==,a YQ==" }, 400, /each key once/],
    ["much metadata", 10, { "Upload-Metadata": "a".repeat(4097) }, 400, /the limit is 4096/],
  ])("refuses a creation with %s", async ([, lengthBytes, headers, status, sentence]) => {
    const response = await create(owner, lengthBytes, { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get("Tus-Resumable")).toBe("1.0.0");
    expect((await errorOf(response)).message).toMatch(sentence);
    expect(await uploadsLeft(owner)).toBe(0);
  });

  test("needs a key to begin, and none of its own to be refused", async () => {
    const response = await call("/uploads", {
      method: "POST",
      headers: { "Tus-Resumable": "1.0.0", "Upload-Length": "10" },
    });
    expect(response.status).toBe(401);
  });

  test("refuses bytes of another offset, type or number, and keeps none of them", async () => {
    const { path } = await begun(owner, 10);
    const before = await send(path, { offset: 3, body: "abc" });
    expect([before.status, (await errorOf(before)).details]).toEqual([
      409,
      { reason: "offset_mismatch", upload_offset: 0 },
    ]);
    expect(
      (await send(path, { offset: 0, body: "abc", headers: { "Content-Type": "text/plain" } })).status,
    ).toBe(415);
    expect((await send(path, { offset: 0, body: "0123456789a" })).status).toBe(413);
    for (const offset of ["-1", "1e0", "9".repeat(16), "0x0"])
      expect([offset, (await send(path, { offset, body: "abc" })).status]).toEqual([offset, 400]);
    expect((await send(path, { offset: "9".repeat(15), body: "abc" })).status).toBe(409);
    expect(await offsetOf(path)).toBe(0);
    expect((await send(path, { offset: 0, body: "" })).status).toBe(204);
    expect((await call(path, { method: "PATCH" })).status).toBe(412);
    expect((await call(path)).status).toBe(401);
  });

  test("takes bytes with their checksum, all or none", async () => {
    const { path } = await begun(owner, photo.length);
    const half = photo.slice(0, 40);
    const sum = await checksumOf(half);
    const wrong = await send(path, {
      offset: 0,
      body: photo.slice(1, 41),
      headers: { "Upload-Checksum": `sha256 ${sum}` },
    });
    expect([wrong.status, await offsetOf(path)]).toEqual([460, 0]);
    for (const value of [`sha1 ${sum}`, `md5 ${sum}`, "sha256", "sha256 abc", `sha256 ${sum} x`]) {
      const response = await send(path, { offset: 0, body: half, headers: { "Upload-Checksum": value } });
      expect([value, response.status]).toEqual([value, 400]);
    }
    const right = await send(path, {
      offset: 0,
      body: half,
      headers: { "Upload-Checksum": `sha256 ${sum}` },
    });
    expect([right.status, await offsetOf(path)]).toEqual([204, 40]);
    const rest = photo.slice(40);
    const sha1 = new Uint8Array(await crypto.subtle.digest("SHA-1", rest));
    const headers = { "Upload-Checksum": `sha1 ${btoa(String.fromCodePoint(...sha1))}` };
    expect((await send(path, { offset: 40, body: rest.with(0, 1), headers })).status).toBe(460);
    expect((await send(path, { offset: 40, body: rest, headers })).status).toBe(204);
  });

  test("is understood in POST for clients whose proxies know few methods", async () => {
    const { path } = await begun(owner, photo.length);
    const headers = { ...TUS, "X-HTTP-Method-Override": "PATCH", "Content-Type": OFFSET_STREAM };
    const body = photo.slice(0, 3);
    const response = await call(path, {
      method: "POST",
      headers: { ...headers, "Upload-Offset": "0" },
      body,
    });
    expect([response.status, await offsetOf(path)]).toEqual([204, 3]);
    const got = await call(path, { headers: { ...TUS, "X-HTTP-Method-Override": "DELETE" } });
    expect([got.status, await offsetOf(path)]).toEqual([401, 3]);
    const gone = await call(path, {
      method: "POST",
      headers: { ...TUS, "X-HTTP-Method-Override": "delete" },
    });
    expect([gone.status, (await ask(path)).status]).toEqual([204, 404]);
  });

  test("ends an upload and all that is stored of it", async () => {
    const { path } = await begun(owner, PART_BYTES + 10);
    await send(path, { offset: 0, body: padded(photo, PART_BYTES + 5) });
    expect((await terminate(path)).status).toBe(204);
    expect((await ask(path)).status).toBe(404);
    await sweepAt(NOW + MINUTE_MS);
    expect(await objectsOf(owner)).toEqual([]);
  });

  test("forgets an upload whose time is over, with all that is stored of it", async () => {
    const { path, uploadId } = await begun(owner, photo.length);
    await send(path, { offset: 0, body: photo.slice(0, 50) });
    await sweepAt(NOW + 24 * HOUR_MS - 1);
    expect(await offsetOf(path)).toBe(50);
    vi.setSystemTime(NOW + 24 * HOUR_MS + 1);
    expect((await ask(path)).status).toBe(410);
    expect((await send(path, { offset: 50, body: photo.slice(50) })).status).toBe(410);
    expect((await redact(owner, uploadId)).status).toBe(422);
    await sweepAt(NOW + 24 * HOUR_MS + 1);
    expect([await uploadsLeft(owner), await objectsOf(owner)]).toEqual([0, []]);
    expect((await ask(path)).status).toBe(404);
  });
});
