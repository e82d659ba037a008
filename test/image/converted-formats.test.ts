import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { outputKey, sourceKey } from "../../src/records/media/media.objects.ts";
import { findSource } from "../../src/records/media/media.service.ts";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { DAY_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { FORMAT_CONTENT_TYPES, type ConvertedFormat } from "../../src/ground/vocabulary/media-values.ts";
import { writeBmp } from "../redaction-node/support/write-bmp.ts";
import { writeGrid } from "../redaction-node/support/write-heic.ts";
import { writeTiff } from "../redaction-node/support/write-tiff.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { HEIC_TILE } from "../support/heic-tiles.ts";
import { answerDetections, deliver, oneHead, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { AVIF_64_48, GIF_64_48 } from "../support/small-pictures.ts";
import { quietBindings } from "../support/quiet-bindings.ts";

const SIZE = { width: 64, height: 48 };
const MARKS = { png: "\x89PNG", jpeg: "\xff\xd8\xff\xe0" } as const;

function heic(hasAlpha: boolean): Uint8Array {
  return writeGrid([HEIC_TILE], { columns: 1, rows: 1, ...SIZE, hasAlpha });
}

function bmp(): Uint8Array {
  const rows = Array.from({ length: SIZE.height }, (_, y) =>
    Array.from({ length: SIZE.width }, (_x, x) => x * 3 + y * 1024),
  );
  return writeBmp(rows, { bits: 24 });
}

function tiff(): Uint8Array {
  const samples = Uint8Array.from({ length: SIZE.width * SIZE.height * 4 }, (_, at) => (at * 3) & 255);
  return writeTiff(samples, { ...SIZE, samplesPerPixel: 4, photometric: 5, isPlanar: true });
}

/** The table of formats and what happens to a media item after the conversion. */
const ROWS: [string, ConvertedFormat, "jpeg" | "png", () => Uint8Array][] = [
  ["HEIC", "heic", "jpeg", () => heic(false)],
  ["HEIC with transparency", "heic", "png", () => heic(true)],
  ["AVIF", "avif", "jpeg", () => AVIF_64_48],
  ["BMP", "bmp", "png", bmp],
  ["GIF", "gif", "png", () => GIF_64_48],
  ["TIFF in CMYK", "tiff", "png", tiff],
];

beginQuietly();

async function completed([, sourceFormat, format, make]: (typeof ROWS)[number]): Promise<QueuedMedia> {
  answerDetections(oneHead);
  const { accountId } = await createAccount();
  const media = await queuedMedia(accountId, { source: Uint8Array.from(make()), format, sourceFormat });
  await deliver(media.mediaId);
  expect(await mediaState(media)).toMatchObject({ status: "completed", failureCode: null });
  return media;
}

async function beginningOf(key: string): Promise<string> {
  const object = await env.MEDIA.get(key, { range: { offset: 0, length: 4 } });
  return object === null ? "" : String.fromCharCode(...(await object.bytes()));
}

describe("format × what its editor shows", () => {
  test.for(ROWS)("%s", async (row) => {
    const media = await completed(row);
    const found = await findMediaById(openDatabase(env.DB, "primary"), media.mediaId);
    if (found === undefined) throw new Error("The media is gone.");
    const { key, contentType } = await findSource(env, found);
    expect(contentType).toBe(FORMAT_CONTENT_TYPES[row[2]]);
    expect([key, await beginningOf(key)]).toEqual([sourceKey(media), MARKS[row[2]]]);
  });
});

describe("format × a revision of it", () => {
  test.for(ROWS)("%s", async (row) => {
    const media = await completed(row);
    const revision = await revise(media, { redact: "none" });
    await deliver(revision.mediaId);
    expect(await mediaState(revision)).toMatchObject({
      status: "completed",
      objects: ["output", "thumbnail"],
    });
    expect(await beginningOf(outputKey(revision))).toBe(MARKS[row[2]]);
  });
});

describe("format × the end of its source's and its output's time", () => {
  test.for(ROWS)("%s", async (row) => {
    const media = await completed(row);
    vi.setSystemTime(Date.now() + DAY_MS + 1000);
    await sweep(quietBindings());
    expect((await mediaState(media)).objects).toEqual(["output", "thumbnail"]);
    await expect(revise(media, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    vi.setSystemTime(Date.now() + 30 * DAY_MS);
    await sweep(quietBindings());
    expect((await mediaState(media)).objects).toEqual([]);
  });
});

describe("format × deletion", () => {
  test.for(ROWS)("%s", async (row) => {
    const media = await completed(row);
    const order = { nowMs: Date.now(), settledAtMs: Date.now() + 1, requestId: "req_test" };
    await deleteMedia(openDatabase(env.DB, "primary"), media, order);
    vi.setSystemTime(Date.now() + 1000);
    await sweep(quietBindings());
    expect((await env.MEDIA.list({ prefix: media.accountId })).objects).toEqual([]);
  });
});
