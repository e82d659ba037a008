import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { writeWebp } from "../../src/pixels/redaction/webp/container.ts";
import { randomPicture } from "../redaction-node/support/random-jpeg.ts";
import { writeJpeg, type WriteOptions } from "../redaction-node/support/write-jpeg.ts";
import { createAccount } from "../support/accounts.ts";
import {
  type DamagedFile,
  damageEachPart,
  jpegParts,
  pngParts,
  webpParts,
} from "../support/damaged-files.ts";
import { mediaState } from "../support/deliveries.ts";
import { chunk, concat, png } from "../support/images.ts";
import { answerDetections, deliver, oneHead, queuedMedia } from "../support/jobs.ts";
import { Random } from "../support/random.ts";
import { type BucketReads, slowBucket } from "../support/slow-bucket.ts";

const SIZE = { width: 64, height: 48 };

/** A hundred jobs one after the other. */

/** The permanent errors of the kernel. */
const PERMANENT = ["redaction_undecodable", "redaction_unsupported", "redaction_too_large"];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  // A permit is valid for any job, so no job of another test may remain.
  await env.DB.exec("DELETE FROM media");
  answerDetections(oneHead);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Delivers the job of a file until it ends. Storage returns the file in small pieces. */
async function process(
  { bytes, format }: { bytes: Uint8Array<ArrayBuffer>; format: "jpeg" | "png" | "webp" },
  reads: BucketReads = {},
): Promise<{ tries: number; status: string | undefined; failureCode: string | null; objects: string[] }> {
  const { accountId } = await createAccount();
  const media = await queuedMedia(accountId, { source: bytes, format });
  const bindings = { ...env, MEDIA: slowBucket(env.MEDIA, reads), HELD_PHOTO_BYTES: "0" };
  for (let tries = 1; tries < 20; tries++) {
    const { delaySeconds } = await deliver(media.mediaId, { bindings });
    if (delaySeconds === undefined) return { tries, ...(await mediaState(media)) };
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
  }
  throw new Error("Permits never ended.");
}

function jpeg(seed: number, options: WriteOptions & { isProgressive: boolean }): Uint8Array<ArrayBuffer> {
  const { isProgressive, ...rest } = options;
  const picture = randomPicture(new Random(seed), { sampling: "4:2:0", isProgressive, size: SIZE });
  return Uint8Array.from(writeJpeg(picture, rest));
}

const BASELINE = jpeg(1, { isProgressive: false });
const RESTARTING = jpeg(2, { isProgressive: false, restartInterval: 3 });
const PROGRESSIVE = jpeg(3, {
  isProgressive: true,
  scans: [
    { planes: [0, 1, 2], start: 0, end: 0, high: 0, low: 1 },
    { planes: [0], start: 1, end: 63, high: 0, low: 0 },
    { planes: [1], start: 1, end: 63, high: 0, low: 0 },
    { planes: [2], start: 1, end: 63, high: 0, low: 0 },
    { planes: [0, 1, 2], start: 0, end: 0, high: 1, low: 0 },
  ],
});

/** Markers that replace another one: one of an application, and an invalid one. */
const MARKERS = [
  [0xff, 0xe2],
  [0, 0],
];
/** Chunk names that replace another one: an unknown critical one, and an ancillary one. */
const CHUNKS = ["XXXX", "xxxx"].map((name) => Array.from(name, (letter) => letter.charCodeAt(0)));

async function pngFile(): Promise<Uint8Array<ArrayBuffer>> {
  const plain = await png(SIZE);
  const extras = [chunk("gAMA", Uint8Array.of(0, 0, 0xb1, 0x8f)), chunk("tEXt", new Uint8Array(30))];
  return concat([plain.subarray(0, 33), ...extras, plain.subarray(33)]);
}

async function webpFile(isLossless: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const data = Uint8Array.from({ length: SIZE.width * SIZE.height * 4 }, (_, index) => (index * 7919) % 251);
  const encoded = await encodeWebp({ data, ...SIZE }, isLossless);
  return Uint8Array.from(writeWebp(encoded, { ...SIZE, isLossless, iccProfile: undefined, orientation: 6 }));
}

/**
 * Expects that each file ends on its first attempt: completed, or failed with a permanent code and nothing stored. Returns how many failed.
 */
async function expectOneTryEach(
  files: readonly DamagedFile[],
  format: "jpeg" | "png" | "webp",
): Promise<number> {
  const { accountId } = await createAccount();
  const names = new Map<string, string>();
  const bindings = { ...env, MEDIA: slowBucket(env.MEDIA), HELD_PHOTO_BYTES: "0" };
  for (const { name, bytes } of files) {
    const { mediaId } = await queuedMedia(accountId, { source: bytes, format });
    names.set(mediaId, name);
    expect(await deliver(mediaId, { bindings }), `delivery of ${name}`).toMatchObject({
      isAcknowledged: true,
    });
  }
  const media = await env.DB.prepare(
    "SELECT id, status, attempts, failure_code AS code FROM media WHERE account_id = ?",
  )
    .bind(accountId)
    .all<{ id: string; status: string; attempts: number; code: string | null }>();
  expect(media.results).toHaveLength(files.length);
  const failed = media.results.filter(({ status }) => status !== "completed");
  for (const { id, ...rest } of media.results)
    expect(rest, `${names.get(id)}`).toMatchObject({ attempts: 1 });
  for (const { id, status, code } of failed) {
    expect(status, `${names.get(id)}`).toBe("failed");
    expect(PERMANENT, `${names.get(id)}`).toContain(code);
    expect(await env.MEDIA.head(outputKey({ accountId, mediaId: id })), `${names.get(id)}`).toBeNull();
  }
  return failed.length;
}

describe("a damaged file ends at its first try", () => {
  test.for([
    [
      "bytes of a table set to ff",
      () => damaged(BASELINE, placeOf(BASELINE, "c4") + 5, [255, 255, 255, 255]),
    ],
    [
      "a progressive one's first scan named ffe2",
      () => damaged(PROGRESSIVE, placeOf(PROGRESSIVE, "da"), [255, 0xe2]),
    ],
    [
      "tables of 200 bytes amid a scan",
      () => damaged(BASELINE, placeOf(BASELINE, "da") + 200, [255, 0xc4, 0, 200]),
    ],
  ] as const)("a JPEG with %s", async ([, bytesOf]) => {
    expect(await process({ bytes: bytesOf(), format: "jpeg" })).toMatchObject({
      tries: 1,
      status: "failed",
      failureCode: "redaction_undecodable",
      objects: ["source"],
    });
  });

  test.for([
    ["baseline JPEG", BASELINE],
    ["JPEG with restart markers", RESTARTING],
    ["progressive JPEG", PROGRESSIVE],
  ] as const)("a %s with a fault at any marker", async ([, file]) => {
    const files = damageEachPart(file, jpegParts(file), MARKERS);
    expect(await expectOneTryEach(files, "jpeg")).toBeGreaterThan(files.length / 4);
  });

  test("a PNG with a fault at any chunk", async () => {
    const file = await pngFile();
    const files = damageEachPart(file, pngParts(file), CHUNKS);
    expect(await expectOneTryEach(files, "png")).toBeGreaterThan(files.length / 4);
  });

  test.for([
    ["lossy", false],
    ["lossless", true],
  ] as const)("a %s WebP with a fault at any chunk", async ([, isLossless]) => {
    const file = await webpFile(isLossless);
    const files = damageEachPart(file, webpParts(file), CHUNKS);
    expect(await expectOneTryEach(files, "webp")).toBeGreaterThan(files.length / 4);
  });
});

function damaged(file: Uint8Array, at: number, bytes: readonly number[]): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(file);
  copy.set(bytes, at);
  return copy;
}

/** The position of the first marker with this code in a JPEG. */
function placeOf(file: Uint8Array, marker: string): number {
  const part = jpegParts(file).find(({ name }) => name === marker);
  if (part === undefined) throw new Error(`There is no marker ff${marker}.`);
  return part.at;
}

describe("a fault of storage is tried again", () => {
  test.for([
    ["breaks off", { breaksAt: 400 }],
    ["ends early", { endsAt: 400 }],
  ] as const)("where a sound file %s in its second or third reading", async ([, fault]) => {
    for (const opening of [2, 3]) {
      const result = await process({ bytes: BASELINE, format: "jpeg" }, { ...fault, opening });
      expect(result, `reading ${opening}`).toMatchObject({ tries: 2, status: "completed" });
    }
  });

  test("where a damaged file breaks off before its damage", async () => {
    const bytes = damaged(PROGRESSIVE, placeOf(PROGRESSIVE, "da"), [0xff, 0xe2]);
    expect(await process({ bytes, format: "jpeg" }, { breaksAt: 100, opening: 2 })).toMatchObject({
      tries: 2,
      status: "failed",
      failureCode: "redaction_undecodable",
    });
  });
});
