import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { decodeWebp, encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { writeWebp } from "../../src/pixels/redaction/webp/container.ts";
import type { Orientation } from "../../src/pixels/geometry/orientation.ts";
import { describeDetections } from "../../src/records/media-api/detections.service.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { answerDetections, deliver, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { quietBindings } from "../support/quiet-bindings.ts";

const [WIDTH, HEIGHT] = [64, 48];
const HOUR_MS = 3_600_000;

beginQuietly();

type Box = readonly [number, number, number, number];

const LEFT: Box = [0, 0, 0.25, 0.25];
const MIDDLE: Box = [0.375, 0.375, 0.25, 0.25];
const RIGHT: Box = [0.75, 0.75, 0.2, 0.2];

const found = [
  { category: "heads", confidence: 0.9, box: LEFT },
  { category: "heads", confidence: 0.8, box: MIDDLE },
  { category: "heads", confidence: 0.1, box: RIGHT, candidate: true },
];

async function picture(orientation: Orientation): Promise<Uint8Array<ArrayBuffer>> {
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let index = 0; index < data.length; index++)
    data[index] = index % 4 === 3 ? 255 : (index * 7919) % 251;
  const encoded = await encodeWebp({ data, width: WIDTH, height: HEIGHT }, true);
  return new Uint8Array(
    writeWebp(encoded, {
      width: WIDTH,
      height: HEIGHT,
      isLossless: true,
      iccProfile: undefined,
      orientation,
    }),
  );
}

let source: Uint8Array<ArrayBuffer>;
let asked = 0;

/** A completed photo with two detected heads and a candidate. */
async function completedPhoto(orientation: Orientation = 1): Promise<QueuedMedia> {
  source = await picture(orientation);
  asked = 0;
  answerDetections(() => {
    asked += 1;
    return Response.json({ frames: [{ width: WIDTH, height: HEIGHT, detections: found }] });
  });
  const { accountId } = await createAccount();
  // A second reading would ask the detector about each output.
  const options = { isVerified: false };
  const media = await queuedMedia(accountId, { source, format: "webp", options });
  await deliver(media.mediaId);
  return media;
}

async function detectionsOf(media: QueuedMedia) {
  return await describeDetections(openDatabase(env.DB, "primary"), media);
}

async function idsOf(media: QueuedMedia): Promise<readonly [string, string, string]> {
  const { detections } = await detectionsOf(media);
  const [first = "", second = "", third = ""] = detections.map(({ id }) => id);
  return [first, second, third];
}

/** The share of a box's pixels that differ from the source's. */
async function hiddenShare(media: QueuedMedia, [left, top, width, height]: Box): Promise<number> {
  const object = await env.MEDIA.get(outputKey(media));
  if (object === null) throw new Error("There is no output.");
  const [before, after] = [
    await decodeWebp(source),
    await decodeWebp(new Uint8Array(await object.arrayBuffer())),
  ];
  let [all, changed] = [0, 0];
  for (let y = Math.round(top * HEIGHT); y < Math.round((top + height) * HEIGHT); y++) {
    for (let x = Math.round(left * WIDTH); x < Math.round((left + width) * WIDTH); x++) {
      all += 1;
      const at = (y * WIDTH + x) * 4;
      if ([0, 1, 2].some((channel) => before.data[at + channel] !== after.data[at + channel])) changed += 1;
    }
  }
  return changed / all;
}

const INNER = 0.1;
function inside([left, top, width, height]: Box): Box {
  return [left + INNER * width, top + INNER * height, (1 - 2 * INNER) * width, (1 - 2 * INNER) * height];
}

/** Which of the three detections a media item's output hides. */
async function hidden(media: QueuedMedia): Promise<readonly boolean[]> {
  return await Promise.all(
    [LEFT, MIDDLE, RIGHT].map(async (box) => {
      const share = await hiddenShare(media, inside(box));
      if (share > 0.02 && share < 0.7) throw new Error(`Half-painted: ${share}.`);
      return share >= 0.7;
    }),
  );
}

describe("a revision hides the selected detections, and nothing else", () => {
  test.for<{ name: string; order: (ids: readonly [string, string, string]) => object; expected: boolean[] }>([
    { name: "all", order: () => ({}), expected: [true, true, false] },
    { name: "none", order: () => ({ redact: "none" }), expected: [false, false, false] },
    { name: "all but one", order: ([first]) => ({ except: [first] }), expected: [false, true, false] },
    {
      name: "a candidate alone",
      order: ([, , third]) => ({ redact: [third] }),
      expected: [false, false, true],
    },
    {
      name: "ids less some",
      order: ([first, second, third]) => ({ redact: [first, second, third], except: [second] }),
      expected: [true, false, true],
    },
    {
      name: "a region besides",
      order: () => ({ redact: "none", regions: [{ box: { x: 0.7, y: 0.7, width: 0.3, height: 0.3 } }] }),
      expected: [false, false, true],
    },
  ])("$name", async ({ order, expected }) => {
    const media = await completedPhoto();
    expect(await hidden(media)).toEqual([true, true, false]);
    const revision = await revise(media, order(await idsOf(media)));
    expect((await mediaState(revision)).status).toBe("queued");
    await deliver(revision.mediaId);
    expect(await hidden(revision)).toEqual(expected);
    const { detections, revision_of: revisionOf } = await detectionsOf(revision);
    expect(revisionOf).toBe(media.mediaId);
    const detected = detections.filter(({ origin }) => origin === "detector");
    expect(detected.map(({ id }) => id)).toEqual(await idsOf(media));
    if (detections.length === 3) expect(detected.map(({ redacted }) => redacted)).toEqual(expected);
    // The detector is not called again, and the first media item is unchanged.
    expect(asked).toBe(1);
    expect(await hidden(media)).toEqual([true, true, false]);
  });

  test("a region lies where a viewer shows it", async () => {
    const media = await completedPhoto(6);
    const revision = await revise(media, {
      redact: "none",
      regions: [{ box: { x: 0.75, y: 0, width: 0.25, height: 0.25 } }],
    });
    await deliver(revision.mediaId);
    // The picture is turned clockwise, so the shown top right is the stored top left.
    expect(await hiddenShare(revision, LEFT)).toBeGreaterThan(0.98);
    expect(await hiddenShare(revision, [0.3, 0, 0.7, 1])).toBe(0);
  });

  test("regions of the media that is revised stay, and can be left out", async () => {
    const media = await completedPhoto();
    const first = await revise(media, {
      redact: "none",
      regions: [{ category: "documents", box: { x: 0.7, y: 0.7, width: 0.3, height: 0.3 } }],
    });
    await deliver(first.mediaId);
    const region = (await detectionsOf(first)).detections.find(({ origin }) => origin === "request");
    expect(region).toMatchObject({ category: "documents", confidence: null, redacted: true });
    const second = await revise(first, {});
    await deliver(second.mediaId);
    expect(await hidden(second)).toEqual([true, true, true]);
    const third = await revise(second, { except: [region?.id] });
    await deliver(third.mediaId);
    expect(await hidden(third)).toEqual([true, true, false]);
    // All of them refer to the upload.
    expect((await detectionsOf(third)).revision_of).toBe(media.mediaId);
  });
});

test("a revision takes nothing of the quota and has no source of its own", async () => {
  const media = await completedPhoto();
  const revision = await revise(media, {});
  await deliver(revision.mediaId);
  expect(await mediaState(revision)).toEqual({
    status: "completed",
    failureCode: null,
    events: ["media.processed"],
    usage: { used: 1, reserved: 0 },
    objects: ["output", "thumbnail"],
  });
  const times = await env.DB.prepare("SELECT source_expires_at AS at FROM media WHERE id = ?")
    .bind(revision.mediaId)
    .first<{ at: number | null }>();
  expect(times?.at).toBeNull();
});

describe("the source stays with the first media", () => {
  test("while a revision waits, and goes once it has ended", async () => {
    const media = await completedPhoto();
    vi.setSystemTime(Date.now() + 24 * HOUR_MS - 1000);
    const revision = await revise(media, {});
    vi.setSystemTime(Date.now() + 2000);
    await sweep(quietBindings());
    expect((await mediaState(media)).objects).toContain("source");
    // Once the source is due for deletion, no revision can begin, although the source still exists.
    await expect(revise(media, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    await deliver(revision.mediaId);
    expect((await mediaState(revision)).status).toBe("completed");
    await sweep(quietBindings());
    expect(await mediaState(media)).toMatchObject({
      objects: ["output", "thumbnail"],
      events: ["media.processed", "media.source_deleted"],
    });
    expect(await mediaState(revision)).toMatchObject({
      objects: ["output", "thumbnail"],
      events: ["media.processed"],
    });
    await expect(revise(revision, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    expect((await detectionsOf(revision)).source_available_until).toBeNull();
  });

  test("a revision whose first media is deleted fails if it has not ended, and stays if it has", async () => {
    const media = await completedPhoto();
    const ended = await revise(media, { redact: "none" });
    await deliver(ended.mediaId);
    const waiting = await revise(media, {});
    const order = { nowMs: Date.now(), settledAtMs: Date.now() + 1, requestId: "req_test" };
    await deleteMedia(openDatabase(env.DB, "primary"), media, order);
    vi.setSystemTime(Date.now() + 1000);
    await sweep(quietBindings());
    await deliver(waiting.mediaId);
    expect(await mediaState(waiting)).toMatchObject({
      status: "failed",
      failureCode: "source_missing",
      events: ["media.failed"],
      objects: [],
    });
    expect(await mediaState(ended)).toMatchObject({ status: "completed", objects: ["output", "thumbnail"] });
    expect((await detectionsOf(ended)).revision_of).toBe(media.mediaId);
    await expect(revise(ended, {})).rejects.toMatchObject({ details: { reason: "source_deleted" } });
  });

  test("a source that expires between two clicks is reported as expired, and nothing is stored", async () => {
    const media = await completedPhoto();
    vi.setSystemTime(Date.now() + 25 * HOUR_MS);
    await expect(revise(media, {}, "key")).rejects.toMatchObject({ details: { reason: "source_deleted" } });
    const keys = await env.DB.prepare("SELECT 1 FROM idempotency_keys WHERE account_id = ?")
      .bind(media.accountId)
      .first();
    expect(keys).toBeNull();
    const revisions = await env.DB.prepare("SELECT 1 FROM media_revisions WHERE account_id = ?")
      .bind(media.accountId)
      .first();
    expect(revisions).toBeNull();
  });
});

test.for([
  { name: "no JSON", stored: `[{"category":` },
  { name: "of another version", stored: `{"version":99}` },
  { name: "without the places", stored: `[{"id":"det_1","category":"heads","confidence":0.9}]` },
])(
  "what was found is $name: a revision fails at its first try, and the next is refused",
  async ({ stored }) => {
    const media = await completedPhoto();
    const revision = await revise(media, {});
    await env.DB.prepare("UPDATE media_detections SET detections = ?").bind(stored).run();
    expect(await deliver(revision.mediaId)).toMatchObject({ delaySeconds: undefined });
    expect(await mediaState(revision)).toMatchObject({
      status: "failed",
      failureCode: "stored_data_unreadable",
      events: ["media.failed"],
      objects: [],
    });
    expect(await mediaState(media)).toMatchObject({
      status: "completed",
      objects: ["output", "source", "thumbnail"],
    });
    await expect(revise(media, {}, "key")).rejects.toMatchObject({
      details: { reason: "detections_unknown" },
    });
  },
);

test("what an upload asked for cannot be read: it fails at its first try, and nobody looks at it", async () => {
  answerDetections(() => {
    throw new Error("The detector is asked.");
  });
  const { accountId } = await createAccount();
  const media = await queuedMedia(accountId, {
    source: await picture(1),
    format: "webp",
    options: { isDetectOnly: true },
  });
  await env.DB.prepare("UPDATE masking_options SET options = ?").bind(`{"regions":"all"}`).run();
  expect(await deliver(media.mediaId)).toMatchObject({ delaySeconds: undefined });
  expect(await mediaState(media)).toMatchObject({
    status: "failed",
    failureCode: "stored_data_unreadable",
    usage: { used: 0, reserved: 0 },
  });
});

test("a consumer killed between any two steps of a revision leaves a job that is completed in the end", async () => {
  const undisturbed = faultyBindings(env, () => undefined);
  const media = await completedPhoto();
  await deliver((await revise(media, {})).mediaId, { bindings: undisturbed.bindings });
  for (let killedAt = 1; killedAt <= undisturbed.calls(); killedAt++) {
    const revision = await revise(media, { redact: "none" });
    const killed = faultyBindings(env, (call) => (call >= killedAt ? new Error("killed") : undefined));
    await deliver(revision.mediaId, { bindings: killed.bindings });
    vi.setSystemTime(Date.now() + 61_000);
    await sweep(quietBindings());
    for (let deliveries = 0; deliveries < 9; deliveries++) {
      const { delaySeconds } = await deliver(revision.mediaId);
      if (delaySeconds === undefined) break;
      vi.setSystemTime(Date.now() + delaySeconds * 1000);
    }
    expect(await mediaState(revision), `killed at storage call ${killedAt}`).toMatchObject({
      status: "completed",
      events: ["media.processed"],
      objects: ["output", "thumbnail"],
    });
  }
  expect(await hidden(media)).toEqual([true, true, false]);
});
