import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { thumbnailKey } from "../../src/records/media/media.objects.ts";
import { decodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { sampleSize } from "../../src/work/video/sampling/frame-sizes.ts";
import { createAccount } from "../support/accounts.ts";
import {
  answerFrames,
  BOX,
  clipOf,
  inspectVideo,
  queuedVideo,
  runToEnd,
  type QueuedVideo,
} from "./support/video-jobs.ts";

/** The clips have bright colors, a part of which is hidden with the code. */
const BRIGHT = 90;
/** A mask over black is not black. */
const SMALL = [{ ...BOX, box: [0.25, 0.25, 0.1, 0.1] }];

afterEach(() => {
  vi.restoreAllMocks();
});

type Options = Parameters<typeof queuedVideo>[1];

async function doneVideo(
  options: Options,
  around?: (video: QueuedVideo, bindings: object) => object,
): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, options);
  await runToEnd(video, { around: (_delivery, bindings) => around?.(video, bindings) ?? bindings });
  return video;
}

/** The thumbnail of a video, and a function for the mean and spread of an area, in levels of 255. */
async function thumbnailOf(video: QueuedVideo) {
  const object = await env.MEDIA.get(thumbnailKey(video));
  const { width, height, data } = await decodeWebp(
    new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0)),
  );
  const lookAt = ([left, top, wide, high]: readonly [number, number, number, number]) => {
    const [x, y] = [Math.ceil(left * width), Math.ceil(top * height)];
    const right = Math.floor((left + wide) * width);
    const bottom = Math.floor((top + high) * height);
    const greens: number[] = [];
    for (let row = y; row < bottom; row++)
      for (let column = x; column < right; column++) greens.push(data[(row * width + column) * 4 + 1] ?? 0);
    const mean = greens.reduce((sum, green) => sum + green, 0) / greens.length;
    return { mean, spread: Math.max(...greens) - Math.min(...greens) };
  };
  return { width, height, lookAt };
}

test("a small still is made of the redacted frames, as large as those of photos at most", async () => {
  answerFrames(undefined, sampleSize({ width: 1920, height: 1080 }));
  const probed = { widthPixels: 1920, heightPixels: 1080, durationSeconds: 1.2 };
  const video = await doneVideo({ source: clipOf("fullHd"), probed });
  const { width, height, lookAt } = await thumbnailOf(video);
  expect([width, height]).toEqual([320, 180]);
  // The middle of the code is one color there, where the source has many.
  expect(lookAt([0.325, 0.35, 0.04, 0.05]).spread).toBeLessThan(60);
  expect(lookAt([0, 0, 1, 1]).spread).toBeGreaterThan(200);
});

test("where a video begins black, the still is of its first frame that is not", async () => {
  answerFrames(undefined, undefined, SMALL);
  const { lookAt } = await thumbnailOf(await doneVideo({ source: clipOf("fromBlack") }));
  expect(lookAt([0, 0, 1, 1]).mean).toBeGreaterThan(BRIGHT);
});

test("where all of it is black, so is the still", async () => {
  answerFrames(undefined, undefined, SMALL);
  const { lookAt } = await thumbnailOf(await doneVideo({ source: clipOf("allBlack"), format: "webm" }));
  expect(lookAt([0, 0, 1, 1]).mean).toBeLessThan(5);
});

test("a video is complete without its still, where that cannot be stored", async () => {
  answerFrames();
  const warned = vi.spyOn(console, "warn");
  const video = await doneVideo({ source: clipOf("oneFrame"), quotaUnits: 1 }, (owned, bindings) => {
    const MEDIA = {
      get: env.MEDIA.get.bind(env.MEDIA),
      list: env.MEDIA.list.bind(env.MEDIA),
      head: env.MEDIA.head.bind(env.MEDIA),
      delete: env.MEDIA.delete.bind(env.MEDIA),
      createMultipartUpload: env.MEDIA.createMultipartUpload.bind(env.MEDIA),
      resumeMultipartUpload: env.MEDIA.resumeMultipartUpload.bind(env.MEDIA),
      put: async (key: string, ...rest: [never]) => {
        if (key === thumbnailKey(owned)) throw new Error("R2 stumbles.");
        return await env.MEDIA.put(key, ...rest);
      },
    };
    return { ...bindings, MEDIA };
  });
  expect(await inspectVideo(video)).toMatchObject({
    status: "completed",
    objects: ["detections.00000", "output", "source"],
  });
  const lines = warned.mock.calls.map(([line]) => String(line));
  expect(lines.filter((line) => line.includes("video_job.thumbnail_left_out"))).toHaveLength(1);
});
