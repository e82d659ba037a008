import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { sourceKey } from "../../src/records/media/media.objects.ts";
import { checkFollowOrder } from "../../src/intake/revisions/follow.schemas.ts";
import { followInVideo } from "../../src/intake/revisions/follow.service.ts";
import { createAccount } from "../support/accounts.ts";
import {
  answerFrames,
  deliver,
  inspectVideo,
  queuedVideo,
  runToEnd,
  type QueuedVideo,
} from "./support/video-jobs.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";

const REGION = { category: "documents", box: { x: 0.1, y: 0.1, width: 0.3, height: 0.3 } };
const FOLLOWED = { time_seconds: 3, box: REGION.box };

beginQuietly();

async function newVideo(isDetectOnly: boolean): Promise<QueuedVideo> {
  answerFrames();
  const { accountId } = await createAccount();
  return await queuedVideo(accountId, { options: { isDetectOnly } });
}

async function lookedAt(): Promise<QueuedVideo> {
  const video = await newVideo(true);
  await runToEnd(video);
  return video;
}

/** The objects of a video whose names, without attempt numbers, begin like this. */
async function keysOf(video: QueuedVideo, name: string): Promise<string[]> {
  const prefix = sourceKey(video).slice(0, -"source".length);
  const { objects } = await env.MEDIA.list({ prefix });
  const keys = objects.map(({ key }) => key);
  return keys.filter((key) =>
    key
      .slice(prefix.length)
      .replace(/(\w+-\d+)-\d+\//, "$1/")
      .startsWith(name),
  );
}

const DAMAGES: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => string | Uint8Array | undefined>> =
  {
    "cut off": (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
    "of another version": () => `{"version": 99}`,
    gone: () => undefined,
  };

async function damage(video: QueuedVideo, name: string, how: string): Promise<void> {
  const keys = await keysOf(video, name);
  expect(keys).not.toEqual([]);
  for (const key of keys) {
    const bytes = new Uint8Array((await (await env.MEDIA.get(key))?.arrayBuffer()) ?? []);
    const damaged = DAMAGES[how]?.(bytes);
    if (damaged === undefined) await env.MEDIA.delete(key);
    else await env.MEDIA.put(key, damaged);
  }
}

/** Expects that a video fails at once and leaves nothing but its source. */
async function failsAtOnce(video: QueuedVideo, objects: readonly string[]): Promise<void> {
  await runToEnd(video);
  expect(Date.now()).toBe(START_MS);
  expect(await inspectVideo(video)).toMatchObject({
    status: "failed",
    failureCode: "stored_data_unreadable",
    events: ["media.failed"],
    objects,
    work: [],
    tasks: 0,
  });
}

describe("what a revision is made from is damaged: it fails at its first try, and the first media stays", () => {
  test.for(
    ["work/kept.json", "work/candidates.json", "work/tracks-1.json", "work/analyse-0/coarse-gzip"].flatMap(
      (name) => Object.keys(DAMAGES).map((how) => ({ name, how })),
    ),
  )("$name is $how", async ({ name, how }) => {
    const video = await lookedAt();
    const revision = await revise(video, { regions: [REGION] });
    await damage(video, name, how);
    await failsAtOnce(revision, []);
    expect(await inspectVideo(video)).toMatchObject({ status: "completed" });
  });

  test("the stored detections are damaged", async () => {
    const video = await lookedAt();
    const revision = await revise(video, { regions: [REGION] });
    await damage(video, "detections", "cut off");
    await failsAtOnce(revision, []);
  });

  test("what it is to hide is", async () => {
    const video = await lookedAt();
    const revision = await revise(video, { regions: [REGION] });
    await env.DB.prepare(
      "UPDATE masking_options SET options = json_set(options, '$.regions[0].box', 'all')",
    ).run();
    await failsAtOnce(revision, []);
  });
});

test.for(["cut off", "of another version", "gone"])(
  "what analysis stored is %s when tracks are made of it: the video fails at once",
  async (how) => {
    const video = await newVideo(false);
    const bindings = quietBindings();
    // Plans the video and analyzes both segments.
    for (let delivery = 0; delivery < 3; delivery++) await deliver(video.mediaId, bindings);
    await damage(video, "work/analyse-1/samples.json", how);
    await failsAtOnce(video, ["source"]);
  },
);

test.for([
  { name: "work/kept.json", how: "cut off" },
  { name: "work/plan.json", how: "of another version" },
  { name: "detections", how: "cut off" },
])("nobody is asked to try again where $name is $how: it cannot be revised", async ({ name, how }) => {
  const video = await lookedAt();
  await damage(video, name, how);
  const refusal = expect.objectContaining({ details: { reason: "detections_unknown" } }) as unknown;
  if (name === "work/plan.json")
    await expect(followInVideo(env, video, checkFollowOrder(FOLLOWED))).rejects.toEqual(refusal);
  else await expect(revise(video, { redact: ["det_1"] }, "key")).rejects.toEqual(refusal);
  for (const table of ["media_revisions", "idempotency_keys"])
    expect(
      await env.DB.prepare(`SELECT 1 FROM ${table} WHERE account_id = ?`).bind(video.accountId).first(),
    ).toBeNull();
});
