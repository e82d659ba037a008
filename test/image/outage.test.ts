import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { consumeImageJobs } from "../../src/work/images/image-jobs.consumer.ts";
import { withMainDatabase } from "../../src/ground/platform/databases.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { parseImageEnv } from "../../src/ground/platform/env.ts";
import { createAccount } from "../support/accounts.ts";
import { deliverJob, mediaState } from "../support/deliveries.ts";
import { HeldQueue } from "../support/held-queue.ts";
import { answerDetections, oneHead, queuedMedia, type QueuedMedia } from "../support/jobs.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";

const AWAY_FROM_MS = START_MS + 5_000;
const BACK_AT_MS = AWAY_FROM_MS + 120_000;
const SWEEP_SECONDS = 60;
/** How many consumers the queue runs at once. */
const MOST_CONSUMERS = 20;

beginQuietly();

/** A service with its queue and a simulated clock. */
class World {
  readonly #queue = new HeldQueue();
  readonly #bindings = { ...env, IMAGE_JOBS: this.#queue.binding };
  /** The calls of the detector: when, and how many were in flight. */
  readonly calls: { readonly atMs: number; readonly inFlight: number }[] = [];
  #inFlight = 0;

  constructor(isAway: () => boolean, refuse: () => Response) {
    answerDetections(async () => {
      this.#inFlight += 1;
      this.calls.push({ atMs: Date.now(), inFlight: this.#inFlight });
      try {
        // Meanwhile, the other consumers reach their own calls.
        await env.DB.prepare("SELECT 1").run();
        return isAway() ? refuse() : oneHead();
      } finally {
        this.#inFlight -= 1;
      }
    });
  }

  /** @param isVerified whether the photo is read again, with a further call */
  async upload(accountId: string, { isVerified = false } = {}): Promise<QueuedMedia> {
    const media = await queuedMedia(accountId, { options: { isVerified } });
    await this.#queue.binding.send({ mediaId: media.mediaId, requestId: "req_test" });
    return media;
  }

  /** Advances one second, delivers all due messages and the ones that they send, and sweeps each minute. */
  async second(): Promise<void> {
    vi.setSystemTime(Date.now() + 1_000);
    if ((Date.now() / 1_000) % SWEEP_SECONDS === 0) await sweep(withMainDatabase(this.#bindings));
    for (let round = 0; round < 50; round++) {
      const due = this.#queue.permits.filter(({ dueAtMs }) => dueAtMs <= Date.now()).slice(0, MOST_CONSUMERS);
      if (due.length === 0) return;
      for (const permit of due) this.#queue.permits.splice(this.#queue.permits.indexOf(permit), 1);
      await Promise.all(
        due.map(async ({ body }) => {
          await deliverJob("veil-images", body.mediaId, async (batch) => {
            await consumeImageJobs(batch, parseImageEnv(this.#bindings));
          });
        }),
      );
    }
  }
}

async function statuses(): Promise<Record<string, number>> {
  const { results } = await env.DB.prepare(
    "SELECT status, count(*) AS total FROM media GROUP BY status",
  ).all<{
    status: string;
    total: number;
  }>();
  return Object.fromEntries(results.map(({ status, total }) => [status, total]));
}

function isDetectorAway(): boolean {
  return Date.now() >= AWAY_FROM_MS && Date.now() < BACK_AT_MS;
}

test.for([
  [
    "unreachable",
    () => {
      throw new TypeError("connection refused");
    },
  ],
  ["answering 503", () => new Response(null, { status: 503 })],
] as const)("a detector that is %s for two minutes fails no job", async ([, refuse]) => {
  const busy = await createAccount({ plan: "Scale" });
  const quiet = await createAccount();
  const world = new World(isDetectorAway, refuse);
  let early: QueuedMedia | undefined;
  while (Date.now() < BACK_AT_MS) {
    await world.upload(busy.accountId);
    if (Date.now() === AWAY_FROM_MS + 60_000) early = await world.upload(quiet.accountId);
    await world.second();
  }
  const during = world.calls.filter(({ atMs }) => atMs >= AWAY_FROM_MS && atMs < BACK_AT_MS);
  // Three failures open the breaker; then there is a probe every ten seconds instead of a call for each of 120 photos.
  expect(during.length).toBeLessThan(22);
  expect(await statuses()).not.toHaveProperty("failed");

  const back = world.calls.length;
  while (Date.now() < BACK_AT_MS + 30_000) {
    if (Date.now() === BACK_AT_MS + 15_000) {
      const late = await world.upload(quiet.accountId);
      await world.second();
      expect((await mediaState(late)).status).toBe("completed");
    } else await world.second();
  }
  if (early === undefined) throw new Error("The quiet account has uploaded nothing.");
  expect((await mediaState(early)).status).toBe("completed");
  expect(await statuses()).toEqual({ completed: expect.any(Number) as unknown });
  // No herd: each answer lets one more job run at once.
  for (const [answers, { inFlight }] of world.calls.slice(back).entries())
    expect(inFlight).toBeLessThanOrEqual(Math.max(1, answers + 1));
  const { results } = await env.DB.prepare("SELECT max(attempts) AS most FROM media").all<{ most: number }>();
  expect(results[0]?.most).toBeLessThanOrEqual(4);
});

/** Turns an upload into a revision of another one that hides nothing. */
async function makeRevision({ mediaId, accountId }: QueuedMedia, first: QueuedMedia): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id) VALUES (?1, ?2, ?3, ?3)",
    ).bind(mediaId, accountId, first.mediaId),
    env.DB.prepare(
      "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?1, ?2, '[]', 1, 0)",
    ).bind(mediaId, accountId),
  ]);
}

test("a revision is made while the detector is away, unless it is to be read again", async () => {
  const { accountId } = await createAccount();
  const world = new World(isDetectorAway, () => new Response(null, { status: 503 }));
  const first = await world.upload(accountId);
  await world.second();
  vi.setSystemTime(AWAY_FROM_MS);
  for (let photo = 0; photo < 4; photo++) await world.upload(accountId);
  for (let seconds = 0; seconds < 20; seconds++) await world.second();
  const revision = await world.upload(accountId);
  await makeRevision(revision, first);
  const reread = await world.upload(accountId, { isVerified: true });
  await makeRevision(reread, first);
  const calls = world.calls.length;
  await world.second();
  expect((await mediaState(revision)).status).toBe("completed");
  expect(world.calls.length).toBeLessThanOrEqual(calls + 1);
  expect((await mediaState(reread)).status).toBe("queued");

  vi.setSystemTime(BACK_AT_MS);
  for (let seconds = 0; seconds < 30; seconds++) await world.second();
  expect((await mediaState(reread)).status).toBe("completed");
});

test("a job that is a day old uses up its attempts", async () => {
  const { accountId } = await createAccount();
  const world = new World(
    () => true,
    () => new Response(null, { status: 503 }),
  );
  const media = await world.upload(accountId);
  for (let seconds = 0; seconds < 60; seconds++) await world.second();
  expect((await mediaState(media)).status).toBe("queued");
  await env.DB.prepare("UPDATE media SET created_at = ?2 WHERE id = ?1")
    .bind(media.mediaId, START_MS - 86_400_000)
    .run();
  for (let minutes = 0; minutes < 30; minutes++) {
    vi.setSystemTime(Date.now() + 60_000 - 1_000);
    await world.second();
  }
  expect(await mediaState(media)).toMatchObject({ status: "failed", failureCode: "retries_spent" });
});

test("20 uploads a second while the detector is away fail no job, and another account is soon served at once again", async () => {
  const busy = await createAccount({ plan: "Scale" });
  const quiet = await createAccount();
  const backAtMs = AWAY_FROM_MS + 5_000;
  const world = new World(
    () => Date.now() < backAtMs,
    () => new Response(null, { status: 503 }),
  );
  const uploadTwenty = async (): Promise<void> => {
    for (let photo = 0; photo < 20; photo++) await world.upload(busy.accountId);
  };
  vi.setSystemTime(AWAY_FROM_MS);
  while (Date.now() < backAtMs) {
    await uploadTwenty();
    await world.second();
  }
  while (Date.now() < backAtMs + 15_000) await world.second();
  for (let second = 0; second < 2; second++) {
    await uploadTwenty();
    const media = await world.upload(quiet.accountId);
    await world.second();
    expect((await mediaState(media)).status).toBe("completed");
  }
  expect(await statuses()).not.toHaveProperty("failed");
});
