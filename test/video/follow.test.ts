import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { checkFollowOrder } from "../../src/intake/revisions/follow.schemas.ts";
import { followInVideo } from "../../src/intake/revisions/follow.service.ts";
import { checkRegions } from "../../src/records/masking/region.schemas.ts";
import { createAccount } from "../support/accounts.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { answerFrames, queuedVideo, runToEnd, type QueuedVideo } from "./support/video-jobs.ts";

const BOX = { x: 0.3, y: 0.2, width: 0.3, height: 0.4 };

beginQuietly();

async function lookedAt(): Promise<QueuedVideo> {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, { options: { isDetectOnly: true } });
  await runToEnd(video);
  return video;
}

async function follow(video: QueuedVideo, body: object) {
  return await followInVideo(env, video, checkFollowOrder(body));
}

test("a box is followed over the frames that are stored, across segments, as a region takes it", async () => {
  const video = await lookedAt();
  const found = await follow(video, { time_seconds: 3, box: BOX });
  expect(found.start_seconds).toBeLessThan(3);
  // The first segment ends after four seconds.
  expect(found.end_seconds).toBeGreaterThan(4.2);
  expect(found.keyframes[0]?.time_seconds).toBe(found.start_seconds);
  expect(found.keyframes.at(-1)?.time_seconds).toBe(found.end_seconds);
  expect(checkRegions([{ category: "heads", ...found }])).toHaveProperty("value");
  // A revision gives the same result, because it has the same source.
  const revision = await revise(video, {});
  await runToEnd(revision);
  expect(await follow(revision, { time_seconds: 3, box: BOX })).toEqual(found);
});

test.for<{ name: string; body: object; details: Record<string, readonly unknown[]> }>([
  {
    name: "NaN and a box outside",
    body: { time_seconds: NaN, box: { ...BOX, x: 0.9 } },
    details: {
      time_seconds: [expect.stringContaining("expected a number of seconds from 0 on")],
      box: [expect.stringContaining("within the picture")],
    },
  },
  {
    name: "what is unknown",
    body: { time_seconds: 1, box: BOX, until: 3 },
    details: { until: [expect.stringContaining("unknown")] },
  },
])("$name is refused with a sentence", ({ body, details }) => {
  expect(() => checkFollowOrder(body)).toThrow(
    expect.objectContaining({ code: "validation_failed", details }),
  );
});

test("a time after the end, another account's video and a deleted source each have their own error", async () => {
  const video = await lookedAt();
  await expect(follow(video, { time_seconds: 6.2, box: BOX })).rejects.toMatchObject({
    details: {
      time_seconds: ["`time_seconds` is 6.2; expected a time before the end of the video, 6 seconds."],
    },
  });
  const { accountId } = await createAccount();
  await expect(follow({ ...video, accountId }, { time_seconds: 1, box: BOX })).rejects.toMatchObject({
    code: "not_found",
  });
  vi.setSystemTime(Date.now() + 25 * 3_600_000);
  await expect(follow(video, { time_seconds: 1, box: BOX })).rejects.toMatchObject({
    details: { reason: "source_deleted" },
  });
});
