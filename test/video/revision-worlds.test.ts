import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { deleteObjects, outputKey } from "../../src/records/media/media.objects.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { isAccountMoving } from "../../src/ground/platform/http.ts";
import { VeilError } from "../../src/ground/platform/errors.ts";
import { findPlace, insertMove } from "../../src/work/moving/account-moves.repository.ts";
import type { DatabaseName } from "../../src/ground/vocabulary/database-names.ts";
import { withMainDatabase } from "../../src/ground/platform/databases.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { HeldQueue } from "../support/held-queue.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { randomFrom } from "./compose/random.ts";
import {
  KEPT_WORK,
  answerFrames,
  deliver,
  inspectVideo,
  queuedVideo,
  runToEnd,
  type QueuedVideo,
} from "./support/video-jobs.ts";

const STEPS = 60;
const MOST_ROUNDS = 60;
const MINUTE_MS = 60_000;
/** The failure codes that a revision with a stored source may end with: faults that lasted for all attempts. */
const PASSING = new Set(["retries_spent", "worker_lost"]);
const ORDERS = [
  {},
  { redact: "none", regions: [{ box: { x: 0.1, y: 0.1, width: 0.3, height: 0.3 } }] },
  { redaction_method: "pixelation", audio: "mute" },
] as const;

beginQuietly();

interface Revision extends QueuedVideo {
  readonly order: number;
  isDeleted: boolean;
}

/**
 * A completed video and revisions of it, in a world in which calls to storage fail, workers die and messages are lost or doubled. In some
 * worlds, its account is moved between two databases all the time.
 */
class RevisionWorld {
  readonly first: QueuedVideo;
  readonly revisions: Revision[] = [];
  readonly random: () => number;
  isFirstDeleted = false;
  readonly #faults: number;
  readonly #isMoved: boolean;

  constructor(first: QueuedVideo, { seed, isMoved }: { seed: number; isMoved: boolean }) {
    this.first = first;
    this.#isMoved = isMoved;
    this.random = randomFrom(seed);
    this.#faults = [0, 0.03, 0.1][Math.floor(this.random() * 3)] ?? 0;
  }

  async step(): Promise<void> {
    const dice = this.random();
    if (dice < 0.15) await this.#revise();
    else if (dice < 0.75) await this.#work();
    else if (dice < 0.85) await this.#disturbed(async (bindings) => await sweep(withMainDatabase(bindings)));
    else if (dice < 0.9) await this.#remove();
    else if (dice < 0.95 && this.#isMoved) await this.#move();
    else vi.setSystemTime(Date.now() + (this.random() < 0.5 ? 5_000 : MINUTE_MS + 1_000));
  }

  /** Ends all faults and lets time pass until nothing waits or runs. */
  async settle(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      vi.setSystemTime(Date.now() + 6 * MINUTE_MS);
      const queue = new HeldQueue<{ mediaId: string; database?: DatabaseName }>();
      const bindings = { ...this.#bindings(), VIDEO_JOBS: queue.binding };
      await sweep(bindings);
      for (let permit = queue.permits.pop(); permit !== undefined; permit = queue.permits.pop())
        await deliver(permit.body.mediaId, bindings, permit.body);
    }
  }

  /** The database that has the account's data. */
  async home(): Promise<D1Database> {
    return (await this.#isInSpare()) ? env.SPARE_DB : env.DB;
  }

  async #isInSpare(): Promise<boolean> {
    const place = await findPlace(openDatabase(env.DB, "primary"), this.first.accountId);
    return place?.databaseName === "DB_2";
  }

  #bindings() {
    return this.#isMoved ? { ...quietBindings(), DB_2: env.SPARE_DB } : quietBindings();
  }

  async #move(): Promise<void> {
    const movingTo = (await this.#isInSpare()) ? "DB" : "DB_2";
    const move = { accountId: this.first.accountId, movingTo, nowMs: Date.now() } as const;
    await insertMove(openDatabase(env.DB, "primary"), move);
  }

  async remove(video: QueuedVideo): Promise<void> {
    const now = Date.now();
    const order = { nowMs: now, settledAtMs: now + 30 * MINUTE_MS, requestId: "req_test" };
    await deleteMedia(openDatabase(await this.home(), "primary"), video, order);
    await deleteObjects(env.MEDIA, video);
  }

  async #revise(): Promise<void> {
    if (this.isFirstDeleted) return;
    const order = Math.floor(this.random() * ORDERS.length);
    const key = `key-${this.revisions.length}`;
    const made = await unlessMoving(revise(this.first, ORDERS[order] ?? {}, key, await this.home()));
    if (made !== undefined) this.revisions.push({ ...made, order, isDeleted: false });
  }

  /** A permit may be doubled: both holders work at once. */
  async #work(): Promise<void> {
    const holders = this.random() < 0.2 ? 2 : 1;
    const work = async (): Promise<void> => {
      await this.#disturbed(async (bindings) => {
        const database = this.#isMoved && this.random() < 0.5 ? "DB_2" : "DB";
        await deliver(this.first.mediaId, bindings, { database });
      });
    };
    await Promise.all(Array.from({ length: holders }, work));
  }

  async #remove(): Promise<void> {
    const revision = this.revisions[Math.floor(this.random() * this.revisions.length)];
    if (revision === undefined || revision.isDeleted) return;
    const removed = await unlessMoving(this.remove(revision).then(() => true));
    revision.isDeleted = removed === true;
  }

  async #disturbed(work: (bindings: typeof env) => Promise<void>): Promise<void> {
    const bindings = this.#bindings();
    const deathAt = this.random() < 0.3 ? 1 + Math.floor(this.random() * 16) : Infinity;
    const plan = (call: number): Error | undefined =>
      call >= deathAt || this.random() < this.#faults ? new Error("Network connection lost.") : undefined;
    const faulty = faultyBindings(bindings, plan, this.random() < 0.5 ? "before" : "after");
    // A failure in the middle leaves the same state as a dead worker.
    await work({ ...bindings, ...faulty.bindings }).catch(() => undefined);
  }
}

/** What a change makes; undefined if it is refused because the account is being moved. */
async function unlessMoving<T>(change: Promise<T>): Promise<T | undefined> {
  try {
    return await change;
  } catch (error) {
    if (isAccountMoving(error) || (error instanceof VeilError && error.code === "server_error"))
      return undefined;
    throw error;
  }
}

async function completedVideo(): Promise<QueuedVideo> {
  answerFrames();
  const { accountId } = await createAccount();
  const video = await queuedVideo(accountId, { options: { isDetectOnly: true } });
  await runToEnd(video);
  return video;
}

/** The output of each revision without faults. */
async function expectedOutputs(first: QueuedVideo): Promise<(ArrayBuffer | undefined)[]> {
  const outputs: (ArrayBuffer | undefined)[] = [];
  for (const order of ORDERS) {
    const calm = await revise(first, order);
    await runToEnd(calm);
    outputs.push(await (await env.MEDIA.get(outputKey(calm)))?.arrayBuffer());
  }
  return outputs;
}

const WORLDS = [
  { seed: 1, isMoved: false, steps: STEPS },
  { seed: 2, isMoved: false, steps: STEPS },
  // While the account is moved, the service refuses revisions, so this world needs more steps.
  { seed: 6, isMoved: true, steps: 2 * STEPS },
];

test.for(WORLDS)(
  "$seed, moved $isMoved: whatever fails, every revision ends whole or not at all",
  async (kind) => {
    const { seed, isMoved, steps } = kind;
    if (isMoved) await applyD1Migrations(env.SPARE_DB, env.TEST_MIGRATIONS);
    const first = await completedVideo();
    const expected = await expectedOutputs(first);
    const world = new RevisionWorld(first, kind);
    for (let step = 0; step < steps; step++) await world.step();
    // In one world, the source is deleted while revisions wait and run.
    if (seed === 2) {
      world.isFirstDeleted = true;
      await world.remove(first);
    }
    await world.settle();
    expect(world.revisions.length).toBeGreaterThan(4);
    const endings = new Set<string>();
    const home = await world.home();
    const place = await findPlace(openDatabase(env.DB, "primary"), first.accountId);
    expect(place?.step ?? null).toBeNull();
    if (isMoved) expect(place?.movedAt).toBeGreaterThan(0);
    for (const revision of world.revisions) {
      const {
        status = "gone",
        failureCode,
        objects,
        work,
        tasks,
        events,
      } = await inspectVideo(revision, home);
      endings.add(status);
      expect([work, tasks]).toEqual([[], 0]);
      if (revision.isDeleted) {
        expect([status, objects, events]).toEqual(["gone", [], []]);
      } else if (status === "completed") {
        // A thumbnail is optional.
        const kept = objects.filter((name) => name !== "thumbnail");
        expect([kept, events]).toEqual([["detections.00000", "output"], ["media.processed"]]);
        const output = await (await env.MEDIA.get(outputKey(revision)))?.arrayBuffer();
        expect(output).toEqual(expected[revision.order]);
      } else {
        expect([status, objects, events]).toEqual(["failed", [], ["media.failed"]]);
        if (world.isFirstDeleted) expect(failureCode).toBe("source_missing");
        else expect(PASSING).toContain(failureCode);
      }
    }
    expect(endings).toContain(world.isFirstDeleted ? "failed" : "completed");
    const { objects, work } = await inspectVideo(first, home);
    expect([objects, work]).toEqual(
      world.isFirstDeleted ? [[], []] : [["detections.00000", "source"], KEPT_WORK],
    );
  },
);
