import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { MaskingOptions } from "../../src/records/masking/masking-options.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import type { Orientation } from "../../src/pixels/geometry/orientation.ts";
import { decodeWebp, encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { writeWebp } from "../../src/pixels/redaction/webp/container.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { answerDetections, deliver, queuedMedia, type QueuedMedia } from "../support/jobs.ts";

const [WIDTH, HEIGHT] = [64, 48];

beforeEach(async () => {
  await env.DB.exec("DELETE FROM media");
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Box = readonly [number, number, number, number];

/** A lossless picture in which every pixel differs from its neighbors. */
async function picture(orientation: Orientation = 1): Promise<Uint8Array<ArrayBuffer>> {
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let index = 0; index < data.length; index++)
    data[index] = index % 4 === 3 ? 255 : (index * 7919) % 251;
  const encoded = await encodeWebp({ data, width: WIDTH, height: HEIGHT }, true);
  const info = { width: WIDTH, height: HEIGHT, isLossless: true, iccProfile: undefined, orientation };
  return new Uint8Array(writeWebp(encoded, info));
}

interface Found {
  readonly category: string;
  readonly confidence: number;
  readonly box: Box;
  readonly candidate?: boolean;
}

function pixel(data: ArrayLike<number>, x: number, y: number): string {
  return Array.from({ length: 3 }, (_, channel) => data[(y * WIDTH + x) * 4 + channel]).join();
}

/** Redacts a picture with these detections. Also returns the request to the detector. */
async function redacted(
  found: readonly Found[],
  options: Partial<MaskingOptions>,
  orientation: Orientation = 1,
): Promise<{ media: QueuedMedia; changed: (x: number, y: number) => boolean; question: unknown }> {
  const { accountId } = await createAccount();
  const source = await picture(orientation);
  const media = await queuedMedia(accountId, { source, format: "webp", options });
  let question: unknown;
  answerDetections(() => Response.json({ frames: [{ width: WIDTH, height: HEIGHT, detections: found }] }));
  const answer = vi.mocked(globalThis.fetch).getMockImplementation();
  vi.mocked(globalThis.fetch).mockImplementation(async (url, init) => {
    const body = await new Response(init?.body).text();
    // The first request is about the source, the second one about the output.
    question ??= JSON.parse(/\{.*\}/.exec(body)?.[0] ?? "null");
    return (await answer?.(url, {})) ?? Response.error();
  });
  await deliver(media.mediaId);
  const object = await env.MEDIA.get(outputKey(media));
  if (object === null) return { media, changed: () => false, question };
  const before = await decodeWebp(source);
  const after = await decodeWebp(new Uint8Array(await object.arrayBuffer()));
  return { media, question, changed: (x, y) => pixel(before.data, x, y) !== pixel(after.data, x, y) };
}

/** The share of a box's pixels, in fractions of the stored picture, that changed. */
function shareChanged(changed: (x: number, y: number) => boolean, [left, top, width, height]: Box): number {
  let [all, hidden] = [0, 0];
  for (let y = Math.round(top * HEIGHT); y < Math.round((top + height) * HEIGHT); y++) {
    for (let x = Math.round(left * WIDTH); x < Math.round((left + width) * WIDTH); x++) {
      all += 1;
      if (changed(x, y)) hidden += 1;
    }
  }
  return hidden / all;
}

const TOP_LEFT: Box = [0, 0, 0.25, 0.25];
const MIDDLE: Box = [0.375, 0.375, 0.25, 0.25];
function plate(box: Box, more: Partial<Found> = {}): Found {
  return {
    category: "license_plates",
    confidence: 0.9,
    box,
    ...more,
  };
}

test("a region is hidden though nothing is detected, and nothing beside it", async () => {
  const { changed, media } = await redacted([], { regions: [{ box: TOP_LEFT }] });
  expect(await mediaState(media)).toMatchObject({ status: "completed" });
  expect(shareChanged(changed, TOP_LEFT)).toBeGreaterThan(0.99);
  expect(shareChanged(changed, [0.25, 0, 0.75, 1])).toBe(0);
  expect(shareChanged(changed, [0, 0.25, 1, 0.75])).toBe(0);
});

test.for<{ orientation: Orientation; stored: Box }>([
  { orientation: 2, stored: [0.75, 0, 0.25, 0.25] },
  { orientation: 3, stored: [0.75, 0.75, 0.25, 0.25] },
  { orientation: 6, stored: [0, 0.75, 0.25, 0.25] },
  { orientation: 8, stored: [0.75, 0, 0.25, 0.25] },
])("a region lies where a viewer shows it: orientation $orientation", async ({ orientation, stored }) => {
  const { changed } = await redacted([], { regions: [{ box: TOP_LEFT }] }, orientation);
  expect(shareChanged(changed, stored)).toBeGreaterThan(0.99);
  expect(shareChanged(changed, [0, 0, 1, 1])).toBeLessThan(0.07);
});

test("a polygon is hidden with its hull", async () => {
  const polygon = [
    [0.5, 0.5],
    [1, 0.5],
    [1, 1],
    [0.5, 1],
    [0.75, 0.75],
  ] as const;
  const { changed } = await redacted([], { regions: [{ box: [0.5, 0.5, 0.5, 0.5], polygon }] });
  expect(shareChanged(changed, [0.5, 0.5, 0.5, 0.5])).toBeGreaterThan(0.99);
});

describe("ignored regions", () => {
  test("leave what lies in them to nine tenths, and hide what lies in them to less", async () => {
    const found = [plate(MIDDLE, { category: "heads" }), plate([0, 0, 0.2, 0.2], { category: "heads" })];
    const ignoreRegions = [{ box: [0.375, 0.375, 0.23, 0.25] as const }, { box: [0, 0, 0.17, 0.2] as const }];
    const { changed, media } = await redacted(found, { ignoreRegions });
    expect(shareChanged(changed, MIDDLE)).toBe(0);
    expect(shareChanged(changed, [0.05, 0.05, 0.1, 0.1])).toBeGreaterThan(0.99);
    expect((await mediaState(media)).status).toBe("completed");
  });

  test("with a dent do not ignore what lies in the dent", async () => {
    const polygon = [
      [0.3, 0.3],
      [0.5, 0.7],
      [0.7, 0.3],
      [0.7, 0.8],
      [0.3, 0.8],
    ] as const;
    const found = [plate([0.45, 0.3, 0.1, 0.2], { category: "heads" })];
    const { changed } = await redacted(found, { ignoreRegions: [{ box: [0.3, 0.3, 0.4, 0.5], polygon }] });
    expect(shareChanged(changed, [0.48, 0.35, 0.04, 0.1])).toBeGreaterThan(0.99);
  });

  test("never open a region that was asked for", async () => {
    const { changed } = await redacted([plate(MIDDLE, { category: "heads" })], {
      ignoreRegions: [{ box: [0, 0, 1, 1] }],
      regions: [{ box: MIDDLE }],
    });
    expect(shareChanged(changed, MIDDLE)).toBeGreaterThan(0.99);
  });
});

test("what lies under the threshold is left open", async () => {
  const { changed } = await redacted([plate(MIDDLE, { category: "heads", candidate: true })], {});
  expect(shareChanged(changed, [0, 0, 1, 1])).toBe(0);
});

test("the detector is asked as the upload was", async () => {
  expect((await redacted([], {})).question).toEqual({
    categories: ["heads"],
    sensitivity: "normal",
    candidates: true,
  });
  expect((await redacted([], { sensitivity: "high" })).question).toMatchObject({ sensitivity: "high" });
  const { question } = await redacted([], { minConfidence: { heads: 0.3 } });
  expect(question).toMatchObject({ min_confidence: { heads: 0.3 } });
  expect(question).not.toHaveProperty("sensitivity");
});

test("looking alone completes without an output, and counts", async () => {
  const { media } = await redacted([plate(MIDDLE, { category: "heads" })], { isDetectOnly: true });
  expect(await mediaState(media)).toEqual({
    status: "completed",
    failureCode: null,
    events: ["media.processed"],
    usage: { used: 1, reserved: 0 },
    objects: ["source"],
  });
  const row = await env.DB.prepare(
    "SELECT output_size_bytes AS size, output_expires_at AS expiresAt, source_expires_at AS sourceExpiresAt FROM media WHERE id = ?",
  )
    .bind(media.mediaId)
    .first<Record<string, number | null>>();
  expect(row).toMatchObject({ size: null, expiresAt: null, sourceExpiresAt: expect.any(Number) as number });
  const event = await env.DB.prepare("SELECT payload FROM events WHERE media_id = ?")
    .bind(media.mediaId)
    .first<{ payload: string }>();
  expect(event?.payload).not.toContain("download_url");
  const kept = await env.DB.prepare("SELECT detections FROM media_detections WHERE media_id = ?")
    .bind(media.mediaId)
    .first<{ detections: string }>();
  expect(JSON.parse(kept?.detections ?? "null")).toHaveLength(1);
});
