import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { outputKey, sourceKey } from "../../src/records/media/media.objects.ts";
import { randomPicture } from "../redaction-node/support/random-jpeg.ts";
import { writeJpeg } from "../redaction-node/support/write-jpeg.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { answerDetections, deliver, oneHead, queuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { Random } from "../support/random.ts";
import { slowBucket, type BucketReads } from "../support/slow-bucket.ts";

const SOURCE = Uint8Array.from(
  writeJpeg(
    randomPicture(new Random(1), {
      sampling: "4:2:0",
      isProgressive: false,
      size: { width: 64, height: 48 },
    }),
    {},
  ),
);

beginQuietly();

/** A bucket that counts the reads of each key. */
function countedBucket(bucket: R2Bucket): { bucket: R2Bucket; readsOf: (key: string) => number } {
  const reads = new Map<string, number>();
  const counted = new Proxy(bucket, {
    get(target, name) {
      if (name === "get") {
        return async (key: string) => {
          reads.set(key, (reads.get(key) ?? 0) + 1);
          return await target.get(key);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { bucket: counted, readsOf: (key) => reads.get(key) ?? 0 };
}

/** Processes a photo until its job ends. Returns how often its source was read, and its output. */
async function processed(heldPhotoBytes: number, reads: BucketReads = {}) {
  answerDetections(oneHead);
  const { accountId } = await createAccount();
  const media = await queuedMedia(accountId, { source: SOURCE, format: "jpeg" });
  const { bucket, readsOf } = countedBucket(slowBucket(env.MEDIA, reads));
  const bindings = { ...env, MEDIA: bucket, HELD_PHOTO_BYTES: String(heldPhotoBytes) };
  let tries = 1;
  for (; tries < 20; tries++) {
    const { delaySeconds } = await deliver(media.mediaId, { bindings });
    if (delaySeconds === undefined) break;
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
  }
  const { status } = await mediaState(media);
  const output = await env.MEDIA.get(outputKey(media));
  const bytes = (await output?.arrayBuffer()) ?? new ArrayBuffer(0);
  return {
    tries,
    status,
    sourceReads: readsOf(sourceKey(media)),
    output: Array.from(new Uint8Array(bytes)),
  };
}

describe("a photo", () => {
  test("that is held is read from storage once, and its output is the same", async () => {
    const held = await processed(SOURCE.length);
    expect(held).toMatchObject({ tries: 1, status: "completed", sourceReads: 1 });
    const streamed = await processed(SOURCE.length - 1);
    expect(streamed).toMatchObject({ tries: 1, status: "completed" });
    expect(streamed.sourceReads).toBeGreaterThanOrEqual(5);
    expect(held.output).toEqual(streamed.output);
  });

  test.for<BucketReads>([
    { opening: 1, breaksAt: 100 },
    { opening: 1, endsAt: 100 },
    { opening: 1, endsAt: 0 },
  ])("that is held is read again if reading it fails: %o", async (fault) => {
    expect(await processed(SOURCE.length, fault)).toMatchObject({
      tries: 1,
      status: "completed",
      sourceReads: 2,
    });
  });
});
