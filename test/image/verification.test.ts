import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { saveReviewRules } from "../../src/records/review/review-rules.repository.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import type { MaskingOptions } from "../../src/records/masking/masking-options.ts";
import type { Orientation } from "../../src/pixels/geometry/orientation.ts";
import { decodeWebp, encodeWebp } from "../../src/pixels/redaction/webp/codec.ts";
import { writeWebp } from "../../src/pixels/redaction/webp/container.ts";
import { describeDetections } from "../../src/records/media-api/detections.service.ts";
import { judgePhoto } from "../../src/records/verification/judge-photo.ts";
import { findInspected } from "../../src/records/masking/photo-detections.repository.ts";
import { describeVerification } from "../../src/records/verification/verification.service.ts";
import { storedOutput, storedSource } from "../../src/work/images/stored-photo.ts";
import { unpaintedIn } from "../../src/work/images/unpainted.ts";
import { createAccount } from "../support/accounts.ts";
import { mediaState } from "../support/deliveries.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { answerDetections, deliver, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { quietBindings } from "../support/quiet-bindings.ts";

const [WIDTH, HEIGHT] = [64, 48];
const LEASE_MS = 60_000;

beginQuietly();

type Box = readonly [number, number, number, number];
interface Found {
  readonly category: string;
  readonly confidence: number;
  readonly box: Box;
  readonly candidate?: boolean;
}

const LEFT: Box = [0, 0, 0.25, 0.25];
const MIDDLE: Box = [0.375, 0.375, 0.25, 0.25];
const RIGHT: Box = [0.7, 0.7, 0.25, 0.25];

function head(box: Box, confidence = 0.9): Found {
  return { category: "heads", confidence, box };
}

/** A lossless picture in which every pixel differs from its neighbors. */
async function picture(orientation: Orientation = 1): Promise<Uint8Array<ArrayBuffer>> {
  const data = new Uint8Array(WIDTH * HEIGHT * 4);
  for (let index = 0; index < data.length; index++)
    data[index] = index % 4 === 3 ? 255 : (index * 7919) % 251;
  const encoded = await encodeWebp({ data, width: WIDTH, height: HEIGHT }, true);
  const info = { width: WIDTH, height: HEIGHT, isLossless: true, iccProfile: undefined, orientation };
  return new Uint8Array(writeWebp(encoded, info));
}

function answer(found: readonly Found[]): () => Response {
  return () => Response.json({ frames: [{ width: WIDTH, height: HEIGHT, detections: found }] });
}

/** Sets the detector's answers, one per reading. The last one repeats. */
function readings(...all: readonly (readonly Found[])[]): void {
  answerInTurn(...all.map(answer));
}

function answerInTurn(...answers: Parameters<typeof answerDetections>): void {
  answerDetections(...answers);
  vi.mocked(globalThis.fetch).mockClear();
}

function asked(): number {
  return vi.mocked(globalThis.fetch).mock.calls.length;
}

async function newPhoto(
  options: Partial<MaskingOptions> = {},
  {
    orientation = 1,
    categories = ["heads"],
  }: { orientation?: Orientation; categories?: never[] | ["heads", ...("qr_codes" | "writing")[]] } = {},
): Promise<QueuedMedia> {
  const { accountId } = await createAccount();
  return await queuedMedia(accountId, {
    source: await picture(orientation),
    format: "webp",
    options,
    categories,
  });
}

async function verificationOf(media: QueuedMedia) {
  return await describeVerification(openDatabase(env.DB, "primary"), media);
}

async function detectionsOf(media: QueuedMedia) {
  return (await describeDetections(openDatabase(env.DB, "primary"), media)).detections;
}

/** The share of a box's pixels that are painted in the output of an unrotated picture. */
async function paintedShare(media: QueuedMedia, [left, top, width, height]: Box): Promise<number> {
  const object = await env.MEDIA.get(outputKey(media));
  const before = await decodeWebp(await picture());
  const after = await decodeWebp(new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0)));
  let [all, painted] = [0, 0];
  for (let y = Math.round(top * HEIGHT); y < Math.round((top + height) * HEIGHT); y++) {
    for (let x = Math.round(left * WIDTH); x < Math.round((left + width) * WIDTH); x++) {
      const at = (y * WIDTH + x) * 4;
      all += 1;
      if ([0, 1, 2].some((channel) => before.data[at + channel] !== after.data[at + channel])) painted += 1;
    }
  }
  return painted / all;
}

/** Delivers permits until there are none, and advances the clock by each delay. */
async function deliverUntilDone(media: QueuedMedia, bindings: object = env): Promise<void> {
  for (let deliveries = 1; deliveries < 50; deliveries++) {
    const { delaySeconds } = await deliver(media.mediaId, { bindings });
    if (delaySeconds === undefined) return;
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
  }
  throw new Error("Permits never ended.");
}

const PASSED = { status: "passed", looked_at: { pictures: 1, frames: 0 }, findings: [] };
const NOT_DONE = { status: "not_done", looked_at: { pictures: 0, frames: 0 }, findings: [] };

describe("the output of a photo is read again", () => {
  test("and passes if nothing is found, by one more question", async () => {
    readings([head(LEFT)], []);
    const media = await newPhoto();
    await deliver(media.mediaId);
    expect(await verificationOf(media)).toEqual({ media_id: media.mediaId, ...PASSED });
    expect(asked()).toBe(2);
  });

  test("what the first reading missed is painted, listed and read once more", async () => {
    readings([head(LEFT)], [head(RIGHT)], []);
    const media = await newPhoto();
    await deliver(media.mediaId);
    expect(await verificationOf(media)).toMatchObject(PASSED);
    expect(asked()).toBe(3);
    expect(await detectionsOf(media)).toMatchObject([
      { id: `det_${media.mediaId.slice(-12)}_1`, redacted: true, box: { x: 0, y: 0 } },
      { id: `det_${media.mediaId.slice(-12)}_2`, redacted: true, box: { x: 0.7, y: 0.7 } },
    ]);
    expect(await paintedShare(media, [0.75, 0.75, 0.15, 0.15])).toBeGreaterThan(0.9);
    const stored = await env.DB.prepare("SELECT output_sha256 AS sha256 FROM media WHERE id = ?")
      .bind(media.mediaId)
      .first<{ sha256: string }>();
    const output = (await (await env.MEDIA.get(outputKey(media)))?.arrayBuffer()) ?? new ArrayBuffer(0);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", output));
    expect(stored?.sha256).toBe(toHex(digest));
  });

  test("and shows each hidden place that it does not hide, whatever a detector sees", async () => {
    readings([head(LEFT), head(MIDDLE)], []);
    const media = await newPhoto({ regions: [{ box: [...RIGHT] }] });
    await deliver(media.mediaId);
    const found = await findInspected(openDatabase(env.DB, "primary"), media);
    const detections = found?.found?.detections ?? [];
    expect(detections).toHaveLength(3);
    const source = storedSource({ ...env, HELD_PHOTO_BYTES: 0 }, media, "webp");
    const output = storedOutput({ ...env, HELD_PHOTO_BYTES: 0 }, media, "webp");
    expect(await unpaintedIn(output, { source, detections })).toEqual([]);
    await env.MEDIA.put(outputKey(media), await picture());
    expect(await unpaintedIn(output, { source, detections })).toEqual(detections);
    const open = detections.map((thing, index) => (index === 1 ? { ...thing, isOpen: true } : thing));
    expect(await unpaintedIn(output, { source, detections: open })).toEqual([detections[0], detections[2]]);
  });

  test("a detection that moves at each reading is painted twice, and then is a finding where a viewer sees it", async () => {
    readings([head(LEFT)], [head(RIGHT)], [head(MIDDLE)], [head([0, 0.75, 0.2, 0.2])]);
    const media = await newPhoto({}, { orientation: 6 });
    await deliver(media.mediaId);
    expect(asked()).toBe(4);
    expect(await verificationOf(media)).toEqual({
      media_id: media.mediaId,
      status: "findings",
      looked_at: { pictures: 1, frames: 0 },
      findings: [
        {
          id: `fnd_${media.mediaId.slice(-12)}_1`,
          kind: "found_again",
          category: "heads",
          confidence: 0.9,
          box: { x: 0.05, y: 0, width: 0.2, height: 0.2 },
        },
      ],
    });
    expect((await mediaState(media)).status).toBe("completed");
  });

  test("what looks as if it had never been painted is painted twice more, and then is a finding", async () => {
    readings([head(MIDDLE)]);
    const media = await newPhoto();
    await deliver(media.mediaId);
    expect(asked()).toBe(4);
    expect(await verificationOf(media)).toMatchObject({
      status: "findings",
      findings: [{ kind: "found_again", category: "heads", box: { x: 0.375, y: 0.375 } }],
    });
  });

  test.for<{ name: string; first: Found[]; second: Found[]; options?: Partial<MaskingOptions> }>([
    {
      name: "a mask that looks like a larger head",
      first: [head(MIDDLE)],
      second: [head([0.3, 0.3, 0.4, 0.4], 0.99)],
    },
    {
      name: "a mask that looks like a fainter head",
      first: [head(MIDDLE, 0.99)],
      second: [head(MIDDLE, 0.6)],
    },
    {
      name: "a candidate below the threshold",
      first: [{ ...head(RIGHT, 0.3), candidate: true }],
      second: [head(RIGHT, 0.95)],
    },
    {
      name: "a thing in an ignored region",
      first: [head(RIGHT)],
      second: [head([0.71, 0.71, 0.2, 0.2])],
      options: { ignoreRegions: [{ box: [0.65, 0.65, 0.35, 0.35] }] },
    },
    { name: "something new that is not certain", first: [head(LEFT)], second: [head(RIGHT, 0.7)] },
  ])("$name is no finding", async ({ first, second, options }) => {
    readings(first, second);
    const media = await newPhoto(options);
    await deliver(media.mediaId);
    expect(await verificationOf(media)).toMatchObject(PASSED);
    expect(asked()).toBe(2);
  });

  test.for([
    { category: "qr_codes", confidence: 1, box: [0.4, 0.4, 0.2, 0.2] as Box, kinds: ["readable"] },
    { category: "qr_codes", confidence: 0.6, box: [0.4, 0.4, 0.2, 0.2] as Box, kinds: [] },
    { category: "writing", confidence: 0.7, box: [0.38, 0.38, 0.24, 0.24] as Box, kinds: ["readable"] },
    { category: "writing", confidence: 0.9, box: [0.45, 0.45, 0.05, 0.05] as Box, kinds: [] },
  ])("$category under a mask with confidence $confidence: $kinds", async ({ kinds, ...seen }) => {
    readings([{ category: "writing", confidence: 0.9, box: MIDDLE }], [seen]);
    const media = await newPhoto({}, { categories: ["heads", "qr_codes", "writing"] });
    await deliver(media.mediaId);
    expect((await verificationOf(media)).findings.map(({ kind }) => kind)).toEqual(kinds);
  });
});

async function completed(options: Partial<MaskingOptions> = {}): Promise<QueuedMedia> {
  readings([head(LEFT), head(MIDDLE)], []);
  const media = await newPhoto(options);
  await deliver(media.mediaId);
  return media;
}

describe("a revision", () => {
  test("gets a finding for what was never found, and no mask beyond its choice", async () => {
    const media = await completed();
    const revision = await revise(media, { except: [(await detectionsOf(media))[1]?.id ?? ""] });
    readings([head(MIDDLE, 0.99), head(RIGHT)]);
    await deliver(revision.mediaId);
    expect(await verificationOf(revision)).toMatchObject({
      status: "findings",
      findings: [{ kind: "found_again", box: { x: 0.7, y: 0.7 } }],
    });
    expect(await paintedShare(revision, RIGHT)).toBe(0);
    expect(await paintedShare(revision, MIDDLE)).toBe(0);
  });

  test.for<{ name: string; seen: readonly Found[] }>([
    { name: "sees the same thing", seen: [head(MIDDLE, 0.7)] },
    { name: "sees it as a candidate", seen: [{ ...head(MIDDLE, 0.2), candidate: true }] },
    { name: "sees nothing over the threshold", seen: [{ ...head(RIGHT, 0.2), candidate: true }] },
    { name: "sees nothing", seen: [] },
  ])(
    "from which a mask was taken away has a finding there, although the detector $name",
    async ({ seen }) => {
      const media = await completed();
      const revision = await revise(media, {});
      // The detection is hidden, but its painted area is elsewhere.
      await env.DB.prepare(
        `UPDATE media_detections SET detections = json_set(detections, '$[1].seen', json('[{"box":[0,0,0.01,0.01],"confidence":0.9}]'))
       WHERE media_id = ?`,
      )
        .bind(revision.mediaId)
        .run();
      readings(seen);
      await deliver(revision.mediaId);
      expect(await paintedShare(revision, MIDDLE)).toBe(0);
      const { findings } = await verificationOf(revision);
      expect(findings.map(({ kind, box }) => [kind, box.x, box.y])).toEqual([["found_again", 0.375, 0.375]]);
    },
  );

  test("is read again exactly if its upload was", async () => {
    const media = await completed({ isVerified: false });
    expect(await verificationOf(media)).toMatchObject(NOT_DONE);
    const revision = await revise(media, {});
    readings([]);
    await deliver(revision.mediaId);
    expect(asked()).toBe(0);
    expect(await verificationOf(revision)).toMatchObject(NOT_DONE);
  });
});

function down(): Response {
  return new Response("no", { status: 503 });
}

describe("a detector that goes away after the output is stored", () => {
  test("delays the second reading, and nothing is analyzed or painted again", async () => {
    answerInTurn(answer([head(LEFT)]), down, down, answer([]));
    const media = await newPhoto();
    const { delaySeconds = 0 } = await deliver(media.mediaId);
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
    const stored = await env.MEDIA.head(outputKey(media));
    await deliverUntilDone(media);
    expect(asked()).toBe(4);
    expect((await env.MEDIA.head(outputKey(media)))?.uploaded).toEqual(stored?.uploaded);
    expect(await verificationOf(media)).toMatchObject(PASSED);
    expect(await detectionsOf(media)).toHaveLength(1);
  });

  test("delays it for longer than all attempts would take, and nothing is painted again", async () => {
    answerInTurn(answer([head(LEFT)]), ...Array.from({ length: 12 }, () => down), answer([]));
    const media = await newPhoto();
    const { delaySeconds = 0 } = await deliver(media.mediaId);
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
    const stored = await env.MEDIA.head(outputKey(media));
    await deliverUntilDone(media);
    expect(asked()).toBe(14);
    expect((await env.MEDIA.head(outputKey(media)))?.uploaded).toEqual(stored?.uploaded);
    expect(await verificationOf(media)).toMatchObject(PASSED);
  });

  test("and an output that is gone then is made again from the source", async () => {
    answerInTurn(answer([head(LEFT)]), down, answer([head(LEFT)]), answer([]));
    const media = await newPhoto();
    const { delaySeconds = 0 } = await deliver(media.mediaId);
    await env.MEDIA.delete(outputKey(media));
    vi.setSystemTime(Date.now() + delaySeconds * 1000);
    await deliverUntilDone(media);
    expect(asked()).toBe(4);
    expect(await verificationOf(media)).toMatchObject(PASSED);
    expect(await paintedShare(media, [0.05, 0.05, 0.15, 0.15])).toBeGreaterThan(0.9);
  });

  test.for([
    // If the detector answers 503, the job waits for it instead.
    { name: "with errors", response: () => new Response("no", { status: 500 }) },
    {
      name: "with a refusal",
      response: () =>
        Response.json(
          { error: { code: "validation_failed", details: { categories: ["no"] } } },
          { status: 422 },
        ),
    },
  ])("$name leaves a completed media item that was not verified", async ({ response }) => {
    answerInTurn(answer([head(LEFT)]), response);
    const media = await newPhoto();
    await deliverUntilDone(media);
    expect(await mediaState(media)).toMatchObject({
      status: "completed",
      events: ["media.processed"],
      usage: { used: 1, reserved: 0 },
    });
    expect(await verificationOf(media)).toMatchObject(NOT_DONE);
    expect(await detectionsOf(media)).toHaveLength(1);
  });
});

/** A detector that finds a head on the left in each source and, in the next picture, one on the right. */
function alternate(): void {
  let looks = 0;
  answerInTurn(() => {
    looks += 1;
    return answer(looks % 2 === 1 ? [head(LEFT)] : [head(RIGHT)])();
  });
}

test("detections that are kept as one have no finding between their masks", () => {
  const corners: readonly Box[] = [
    [0, 0, 0.1, 0.1],
    [0.9, 0.9, 0.1, 0.1],
  ];
  const seen = corners.map((box) => ({ box, confidence: 0.9 }));
  const gathered = { id: "det_1", category: "heads", confidence: 0.9, box: [0, 0, 1, 1], seen } as const;
  const candidate = {
    category: "heads",
    confidence: 0.1,
    box: [0.1, 0.1, 0.8, 0.8],
    candidate: true,
  } as const;
  const photo = {
    size: { width: 1000, height: 1000 },
    orientation: 1,
    regions: corners.map((box) => ({ category: "heads", shape: "box", box }) as const),
    ignored: [],
  } as const;
  expect(judgePhoto([candidate], { ...photo, detections: [gathered] }).findings).toEqual([]);
  const { seen: _seen, ...single } = gathered;
  expect(judgePhoto([candidate], { ...photo, detections: [single] }).findings).toHaveLength(1);
});

test("a worker killed between any two steps of a second reading that paints again leaves nothing bare", async () => {
  alternate();
  const undisturbed = faultyBindings(env, () => undefined);
  await deliver((await newPhoto()).mediaId, { bindings: undisturbed.bindings });
  for (let killedAt = 1; killedAt <= undisturbed.calls(); killedAt++) {
    alternate();
    const media = await newPhoto();
    const killed = faultyBindings(env, (call) => (call >= killedAt ? new Error("killed") : undefined));
    await deliver(media.mediaId, { bindings: killed.bindings });
    vi.setSystemTime(Date.now() + LEASE_MS + 1000);
    await sweep(quietBindings());
    await deliverUntilDone(media);
    const state = await mediaState(media);
    expect(state, `killed at storage call ${killedAt}`).toMatchObject({
      status: "completed",
      events: ["media.processed"],
      usage: { used: 1, reserved: 0 },
      objects: ["output", "source", "thumbnail"],
    });
    expect((await verificationOf(media)).status).not.toBe("not_done");
    const row = await env.DB.prepare("SELECT draft FROM media_verifications WHERE media_id = ?")
      .bind(media.mediaId)
      .first<{ draft: string | null }>();
    expect(row?.draft).toBeNull();
    const hash = await env.DB.prepare("SELECT output_sha256 AS sha256 FROM media WHERE id = ?")
      .bind(media.mediaId)
      .first<{ sha256: string }>();
    const output = (await (await env.MEDIA.get(outputKey(media)))?.arrayBuffer()) ?? new ArrayBuffer(0);
    expect(hash?.sha256).toBe(toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", output))));
  }
});

test("a media item that is deleted during its second reading leaves nothing behind", async () => {
  const media = await newPhoto();
  answerInTurn(answer([head(LEFT)]), async () => {
    const times = { nowMs: Date.now(), settledAtMs: Date.now() + 1, requestId: "req_test" };
    await deleteMedia(openDatabase(env.DB, "primary"), media, times);
    return answer([head(RIGHT)])();
  });
  await deliver(media.mediaId);
  vi.setSystemTime(Date.now() + 1000);
  await sweep(quietBindings());
  expect((await mediaState(media)).objects).toEqual([]);
  const left = await env.DB.prepare("SELECT count(*) AS total FROM media_verifications WHERE media_id = ?")
    .bind(media.mediaId)
    .first<{ total: number }>();
  expect(left?.total).toBe(0);
});

test("findings send a media item to review if the account's rules say so", async () => {
  readings([head(MIDDLE)]);
  const media = await newPhoto();
  await saveReviewRules(
    openDatabase(env.DB, "primary"),
    { moreThan: {}, between: {}, verificationFindings: true },
    {
      accountId: media.accountId,
      actor: { kind: "user", id: "usr_1" },
      requestId: "req_1",
      nowMs: Date.now(),
    },
  );
  await deliver(media.mediaId);
  const review = await env.DB.prepare("SELECT reasons FROM media_reviews WHERE media_id = ?")
    .bind(media.mediaId)
    .first<{ reasons: string }>();
  expect(JSON.parse(review?.reasons ?? "[]")).toEqual([{ kind: "verification", found: 1 }]);
});

test("a media item that is only analyzed, or not to be verified, is read once", async () => {
  for (const options of [{ isDetectOnly: true }, { isVerified: false }]) {
    readings([head(LEFT)]);
    const media = await newPhoto(options);
    await deliver(media.mediaId);
    expect(asked()).toBe(1);
    expect(await verificationOf(media)).toMatchObject(NOT_DONE);
  }
});

test("a reason printed in a mask is no line that can still be read", () => {
  const line = { id: "det_1", category: "writing", confidence: 0.9, box: [0.3, 0.4, 0.4, 0.1] } as const;
  const region = { category: "writing", shape: "box", box: line.box } as const;
  const photo = {
    size: { width: 640, height: 480 },
    orientation: 1,
    detections: [line],
    ignored: [],
  } as const;
  const seen = { category: "writing", confidence: 0.8, box: [0.3, 0.4, 0.38, 0.1] } as const;
  expect(judgePhoto([seen], { ...photo, regions: [region] }).findings).toMatchObject([{ kind: "readable" }]);
  expect(judgePhoto([seen], { ...photo, regions: [{ ...region, label: "GDPR-6" }] }).findings).toEqual([]);
});
