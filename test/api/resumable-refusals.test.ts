import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { SNIFF_BYTES } from "../../src/intake/uploads/files/sniff.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { errorOf } from "../support/api.ts";
import * as files from "../support/file-headers.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { png } from "../support/images.ts";
import {
  checksumOf,
  OFFSET_STREAM,
  ask,
  beforeUploads,
  begun,
  create,
  objectsOf,
  offsetOf,
  padded,
  send,
  sweepAt,
  uploadsLeft,
} from "../support/resumable-uploads.ts";

const VIDEO_BYTES = 5_000_000_000;
const PDF = padded(new TextEncoder().encode("%PDF-1.7\n"), SNIFF_BYTES + 1);
const MP4 = padded(
  new Uint8Array([0, 0, 0, 0x14, ...new TextEncoder().encode("ftypisom"), 0, 0, 2, 0]),
  SNIFF_BYTES + 1,
);

let owner: TestAccount;

beforeUploads((uploader) => ({ owner } = uploader));

/** Expects a 422 on `file` that ends the upload. Returns its sentence. */
async function refusalOf(path: string, response: Response): Promise<string> {
  expect([response.status, response.headers.get("Tus-Resumable")]).toEqual([422, "1.0.0"]);
  const { details } = await errorOf(response);
  expect(Object.keys(details)).toEqual(["file"]);
  expect((await ask(path)).status).toBe(404);
  await sweepAt(Date.now() + MINUTE_MS);
  expect([await uploadsLeft(owner), await objectsOf(owner)]).toEqual([0, []]);
  return String(details["file"]);
}

describe("by its first bytes a file is refused", () => {
  test("of a type that is not taken, though gigabytes were to come", async () => {
    const { path } = await begun(owner, VIDEO_BYTES);
    const sentence = await refusalOf(path, await send(path, { offset: 0, body: PDF }));
    expect(sentence).toMatch(/^The file is application\/pdf; supported formats are/);
  });

  test("in whatever pieces they come", async () => {
    const { path } = await begun(owner, VIDEO_BYTES);
    for (let at = 0; at < SNIFF_BYTES; at += 1000) {
      const response = await send(path, { offset: at, body: PDF.slice(at, at + 1000) });
      if (at + 1000 >= SNIFF_BYTES) await refusalOf(path, response);
      else expect([response.status, await offsetOf(path)]).toEqual([204, at + 1000]);
    }
  });

  test("that is a picture larger than pictures may be, while a video as large goes on", async () => {
    const picture = await begun(owner, 100_000_001);
    const bytes = padded(await png({ width: 32, height: 24 }), SNIFF_BYTES);
    expect(await refusalOf(picture.path, await send(picture.path, { offset: 0, body: bytes }))).toBe(
      "The file is a picture of 100000001 bytes; the limit for pictures is 100000000 bytes.",
    );
    const video = await begun(owner, VIDEO_BYTES);
    expect((await send(video.path, { offset: 0, body: MP4 })).status).toBe(204);
  });

  test("that is a picture of too many pixels, or one that cannot be redacted, before the rest is sent", async () => {
    const bomb = await png({ width: 8, height: 8, declared: { width: 50_000, height: 50_000 } });
    const large = await begun(owner, 50_000_000);
    expect(
      await refusalOf(large.path, await send(large.path, { offset: 0, body: padded(bomb, SNIFF_BYTES) })),
    ).toBe("The image has 50000×50000 pixels (2500.0 megapixels); the limit is 100 megapixels for PNG.");
    const animated = await begun(owner, 50_000_000);
    const webp = padded(files.webp({ width: 4, height: 4, kind: "VP8X", isAnimated: true }), SNIFF_BYTES);
    expect(await refusalOf(animated.path, await send(animated.path, { offset: 0, body: webp }))).toMatch(
      /^The WebP is animated/,
    );
  });

  test("once their checksum is known to be right", async () => {
    const { path } = await begun(owner, VIDEO_BYTES);
    const headers = { "Upload-Checksum": `sha256 ${await checksumOf(MP4)}` };
    const wrong = await send(path, { offset: 0, body: PDF, headers });
    expect([wrong.status, await offsetOf(path)]).toEqual([460, 0]);
    const right = { "Upload-Checksum": `sha256 ${await checksumOf(PDF)}` };
    await refusalOf(path, await send(path, { offset: 0, body: PDF, headers: right }));
  });

  test("with its creation", async () => {
    const headers = { "Content-Type": OFFSET_STREAM };
    const response = await create(owner, VIDEO_BYTES, { headers, body: PDF });
    await refusalOf(`/uploads/upl_${"A".repeat(43)}`, response);
  });

  test("though storage fails at any call, and never stays", async () => {
    const idle = faultyBindings(env, () => undefined);
    await send((await begun(owner, VIDEO_BYTES)).path, { offset: 0, body: PDF, bindings: idle.bindings });
    for (let failing = 1; failing <= idle.calls(); failing++) {
      const { path } = await begun(owner, VIDEO_BYTES);
      const fails = (call: number): Error | undefined =>
        call === failing ? new Error("Storage failed.") : undefined;
      const { bindings } = faultyBindings(env, fails);
      const { status } = await send(path, { offset: 0, body: PDF, bindings });
      expect([failing, status]).toEqual([failing, expect.toBeOneOf([422, 500])]);
      vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
      expect([404, 422]).toContain((await send(path, { offset: 0, body: PDF })).status);
      expect([failing, await uploadsLeft(owner)]).toEqual([failing, 0]);
    }
  });
});

describe("an account has under way", () => {
  test("no more uploads than the limit, however many are begun at once", async () => {
    const bindings = { MAX_RESUMABLE_UPLOADS: "3" };
    const responses = await Promise.all(
      Array.from({ length: 10 }, async () => await create(owner, 10, { bindings })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = await create(owner, 10, { bindings });
    expect(refused.status).toBe(409);
    const { message, details } = await errorOf(refused);
    expect(message).toMatch(/^The account has 3 unfinished resumable uploads; the limit is 3\./);
    expect(details).toEqual({ reason: "too_many_uploads", limit: 3, used: 3 });
    expect((await create(await createAccount(), 10, { bindings })).status).toBe(201);
  });

  test("no more bytes than the limit, by the declared lengths", async () => {
    const bindings = { MAX_RESUMABLE_BYTES: "100" };
    expect((await create(owner, 60, { bindings })).status).toBe(201);
    const refused = await create(owner, 41, { bindings });
    expect([refused.status, (await errorOf(refused)).details]).toEqual([
      409,
      { reason: "too_many_upload_bytes", limit: 100, used: 60 },
    ]);
    expect((await create(owner, 40, { bindings })).status).toBe(201);
  });
});
