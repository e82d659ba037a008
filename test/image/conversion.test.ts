import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { outputKey, sourceKey, thumbnailKey } from "../../src/records/media/media.objects.ts";
import { writeBmp } from "../redaction-node/support/write-bmp.ts";
import { writeGrid } from "../redaction-node/support/write-heic.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { HEIC_TILE } from "../support/heic-tiles.ts";
import { answerDetections, deliver, oneHead, queuedMedia, type QueuedMedia } from "../support/jobs.ts";

const SIZE = { width: 64, height: 48 };
const PNG = "\x89PNG";

beforeEach(async () => {
  // A permit is valid for any job, so no job of another test may remain.
  await env.DB.exec("DELETE FROM media");
});

afterEach(() => {
  vi.restoreAllMocks();
});

function bmp(): Uint8Array<ArrayBuffer> {
  const row = (y: number) => Array.from({ length: SIZE.width }, (_, x) => x * 3 + y * 1024);
  return Uint8Array.from(
    writeBmp(
      Array.from({ length: SIZE.height }, (_, y) => row(y)),
      { bits: 24 },
    ),
  );
}

async function queuedBmp(source: Uint8Array<ArrayBuffer>): Promise<QueuedMedia> {
  const { accountId } = await createAccount();
  return await queuedMedia(accountId, { source, format: "png", sourceFormat: "bmp" });
}

async function beginningOf(key: string): Promise<string> {
  const object = await env.MEDIA.get(key, { range: { offset: 0, length: 4 } });
  return object === null ? "" : String.fromCharCode(...(await object.bytes()));
}

test("a BMP is converted to PNG, analyzed, redacted and stored", async () => {
  let seen = "";
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_url, init) => {
    const body = await new Response(init?.body).bytes();
    expect(body.length).toBe(Number(new Headers(init?.headers).get("Content-Length") ?? body.length));
    seen = String.fromCharCode(...body);
    return oneHead();
  });
  const source = bmp();
  const media = await queuedBmp(source);
  await deliver(media.mediaId);
  expect(await mediaState(media)).toMatchObject({ status: "completed", failureCode: null });
  expect(seen).toContain("image/png");
  expect(seen).toContain(PNG);
  expect(seen).not.toContain("image/bmp");
  for (const key of [sourceKey(media), outputKey(media)]) expect(await beginningOf(key)).toBe(PNG);
  expect(await beginningOf(thumbnailKey(media))).toBe("RIFF");
  const row = await env.DB.prepare(
    "SELECT file_size_bytes AS bytes, multipart_upload_id AS upload FROM media",
  ).first();
  expect(row).toEqual({ bytes: source.length, upload: null });
});

test("a HEIC is redacted and kept as the JPEG that it became", async () => {
  answerDetections(oneHead);
  const { accountId } = await createAccount();
  const source = Uint8Array.from(writeGrid([HEIC_TILE], { columns: 1, rows: 1, ...SIZE }));
  const media = await queuedMedia(accountId, { source, format: "jpeg", sourceFormat: "heic" });
  await deliver(media.mediaId);
  expect(await mediaState(media)).toMatchObject({ status: "completed", failureCode: null });
  for (const key of [sourceKey(media), outputKey(media)])
    expect(await beginningOf(key)).toMatch(/^\xff\xd8\xff/);
});

test("a try after the conversion goes on from what it left", async () => {
  answerDetections(() => new Response(null, { status: 503 }), oneHead);
  vi.useFakeTimers({ toFake: ["Date"] });
  const media = await queuedBmp(bmp());
  const { delaySeconds = 0 } = await deliver(media.mediaId);
  const converted = await env.MEDIA.head(sourceKey(media));
  expect(await beginningOf(sourceKey(media))).toBe(PNG);
  vi.setSystemTime(Date.now() + delaySeconds * 1000);
  await deliver(media.mediaId);
  expect(await mediaState(media)).toMatchObject({ status: "completed" });
  expect((await env.MEDIA.head(sourceKey(media)))?.etag).toBe(converted?.etag);
  vi.useRealTimers();
});

test("a BMP that is cut off fails at its first try", async () => {
  answerDetections(oneHead);
  const media = await queuedBmp(bmp().slice(0, 5000));
  await deliver(media.mediaId);
  expect(await mediaState(media)).toMatchObject({ status: "failed", failureCode: "redaction_undecodable" });
});

test("a media that was deleted while its source was converted leaves nothing behind", async () => {
  answerDetections(oneHead);
  const media = await queuedBmp(bmp());
  const deleteAtFirstRead = new Proxy(env.MEDIA, {
    get(bucket, name) {
      const member: unknown = Reflect.get(bucket, name);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(member, bucket, args);
        if (name === "head") await env.DB.prepare("DELETE FROM media WHERE id = ?").bind(media.mediaId).run();
        return result;
      };
    },
  });
  const before = await env.MEDIA.head(sourceKey(media));
  await deliver(media.mediaId, { bindings: { ...env, MEDIA: deleteAtFirstRead } });
  expect((await env.MEDIA.head(sourceKey(media)))?.etag).toBe(before?.etag);
  expect(await env.MEDIA.head(outputKey(media))).toBeNull();
});
