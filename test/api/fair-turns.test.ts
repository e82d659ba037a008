import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { PLAN_NAMES, type PlanName } from "../../src/ground/vocabulary/plans.ts";
import { PLAN_SHARES } from "../../src/work/jobs/plan-shares.ts";
import { CLAIM_IMAGE, claimImage } from "../../src/work/images/image-claims.repository.ts";
import { releaseMedia } from "../../src/records/media/media-jobs.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { CLAIM_TASK, CLAIM_VIDEO } from "../../src/work/video/tasks/video-claims.repository.ts";
import { CLAIM_DELIVERY } from "../../src/work/webhooks/delivery-claims.repository.ts";
import { createAccount } from "../support/accounts.ts";
import { endJob, queueImages } from "../support/queued-jobs.ts";
import { Random } from "../support/random.ts";
import { median, percentile } from "../../bench/lib/statistics.ts";

const NOW = Date.UTC(2026, 5, 1);
const LEASE_MS = 60_000;
const database = openDatabase(env.DB, "primary");

beforeEach(async () => {
  for (const table of ["media", "account_turns"]) await env.DB.exec(`DELETE FROM ${table}`);
});

async function accountOf(plan: PlanName): Promise<string> {
  return (await createAccount({ plan })).accountId;
}

/** Claims the fairest job. Returns its owner, or undefined if no job may run. */
async function claim(nowMs = NOW, leaseId = newId("lease")) {
  const claimed = await claimImage(database, { leaseId, nowMs, leaseExpiresAtMs: nowMs + LEASE_MS });
  return claimed && { mediaId: claimed.row.id, accountId: claimed.row.accountId, leaseId };
}

async function readTurn() {
  return await env.DB.prepare("SELECT start_tag, finish_tag, waiting, running FROM account_turns").first();
}

/** The owners of the next jobs, one done after the other. */
async function nextOwners(count: number): Promise<(string | undefined)[]> {
  const owners: (string | undefined)[] = [];
  for (let turn = 0; turn < count; turn++) {
    const job = await claim();
    if (job !== undefined) await endJob(job.mediaId);
    owners.push(job?.accountId);
  }
  return owners;
}

describe("whose job is next", () => {
  test("accounts of one plan take turns, and each account's oldest job comes first", async () => {
    const [first, second] = [await accountOf("Pro"), await accountOf("Pro")];
    await queueImages(first, 3, { dueAtMs: NOW - 5_000 });
    await queueImages(second, 3, { dueAtMs: NOW - 1_000 });
    expect(await nextOwners(7)).toEqual([first, second, first, second, first, second, undefined]);
    await queueImages(first, 2, { dueAtMs: NOW - 9_000 });
    await queueImages(first, 1, { dueAtMs: NOW - 10_000 });
    const oldest = await env.DB.prepare("SELECT id FROM media WHERE available_at = ?")
      .bind(NOW - 10_000)
      .first<{ id: string }>();
    expect((await claim())?.mediaId).toBe(oldest?.id);
  });

  test("one photo beside a burst of 500 is the very next one", async () => {
    const [burst, single] = [await accountOf("Scale"), await accountOf("Free")];
    await queueImages(burst, 500, { dueAtMs: NOW - 60_000 });
    expect(new Set(await nextOwners(20))).toEqual(new Set([burst]));
    await queueImages(single, 1, { dueAtMs: NOW });
    expect(await nextOwners(2)).toEqual([single, burst]);
  });

  test("who has had nothing to do has saved nothing up", async () => {
    const [busy, idle] = [await accountOf("Pro"), await accountOf("Pro")];
    await queueImages(idle, 1, { dueAtMs: NOW });
    await queueImages(busy, 120, { dueAtMs: NOW });
    await nextOwners(101);
    await queueImages(idle, 50, { dueAtMs: NOW });
    const owners = await nextOwners(20);
    const turns = owners.filter((owner) => owner === idle).length;
    expect(owners[0]).toBe(idle);
    // At the same virtual time, either account may be first.
    expect([10, 11]).toContain(turns);
  });

  test("a message to be retried later stays untouched until then, and delays nobody", async () => {
    const [failing, other] = [await accountOf("Pro"), await accountOf("Pro")];
    await queueImages(failing, 1, { dueAtMs: NOW });
    const job = await claim();
    if (job === undefined) throw new Error("Nothing was claimed.");
    await releaseMedia(database, job, NOW + 5_000);
    await queueImages(other, 1, { dueAtMs: NOW });
    expect(await nextOwners(2)).toEqual([other, undefined]);
    expect(await claim(NOW + 4_999)).toBeUndefined();
    expect(await claim(NOW + 5_000)).toMatchObject({ mediaId: job.mediaId });
  });

  test("a claim whose answer was lost holds the same job, and counts once", async () => {
    const account = await accountOf("Pro");
    await queueImages(account, 2, { dueAtMs: NOW });
    const first = await claim(NOW, "lease_a");
    const counted = await readTurn();
    expect(await claim(NOW, "lease_a")).toEqual(first);
    expect(await readTurn()).toEqual(counted);
    expect(counted).toEqual({ start_tag: 0, finish_tag: 1 / PLAN_SHARES.Pro.weight, waiting: 1, running: 1 });
  });
});

describe("how many at once", () => {
  test.for(PLAN_NAMES)(
    "an account of %s runs as many as its plan allows, others meanwhile theirs",
    async (plan) => {
      const [account, other] = [await accountOf(plan), await accountOf("Free")];
      const most = PLAN_SHARES[plan].mostAtOnce.images;
      await queueImages(account, most + 2, { dueAtMs: NOW });
      const running = [];
      for (let turn = 0; turn < most; turn++) running.push(await claim());
      expect(running.map((job) => job?.accountId)).toEqual(running.map(() => account));
      expect(await claim()).toBeUndefined();
      await queueImages(other, 1, { dueAtMs: NOW });
      expect(await claim()).toMatchObject({ accountId: other });
      await endJob(running[0]?.mediaId ?? "");
      expect(await claim()).toMatchObject({ accountId: account });
      expect(await claim()).toBeUndefined();
    },
  );
});

test("weights hold within 10 % over 2,000 jobs", async () => {
  const JOBS = 2_000;
  const plans = new Map<string, PlanName>();
  for (const plan of PLAN_NAMES) {
    const account = await accountOf(plan);
    plans.set(account, plan);
    await queueImages(account, JOBS, { dueAtMs: NOW });
  }
  const got = new Map<PlanName, number>();
  for (const owner of await nextOwners(JOBS)) {
    const plan = plans.get(owner ?? "");
    if (plan !== undefined) got.set(plan, (got.get(plan) ?? 0) + 1);
  }
  const weights = PLAN_NAMES.reduce((sum, plan) => sum + PLAN_SHARES[plan].weight, 0);
  for (const plan of PLAN_NAMES) {
    const share = (JOBS * PLAN_SHARES[plan].weight) / weights;
    const ratio = (got.get(plan) ?? 0) / share;
    expect([plan, ratio]).toSatisfy(() => ratio > 0.9 && ratio < 1.1);
  }
});

test("nobody starves: with accounts of all plans coming and going, each is served before others have had more than their weight", async () => {
  const random = new Random(17);
  const accounts: { id: string; weight: number }[] = [];
  for (const plan of [...PLAN_NAMES, ...PLAN_NAMES]) {
    accounts.push({ id: await accountOf(plan), weight: PLAN_SHARES[plan].weight });
  }
  const waiting = new Map<string, number>();
  const passedOver = new Map<string, number>();
  for (let turn = 0; turn < 400; turn++) {
    const { id } = random.pick(accounts);
    const count = random.pick([0, 1, 1, 30]);
    if (count > 0) await queueImages(id, count, { dueAtMs: NOW });
    waiting.set(id, (waiting.get(id) ?? 0) + count);
    const [owner] = await nextOwners(1);
    for (const account of accounts) {
      if (account.id === owner || (waiting.get(account.id) ?? 0) === 0) passedOver.set(account.id, 0);
      else passedOver.set(account.id, (passedOver.get(account.id) ?? 0) + 1);
      const most = accounts.reduce((sum, other) => sum + Math.ceil(other.weight / account.weight) + 1, 0);
      expect(passedOver.get(account.id)).toBeLessThanOrEqual(most);
    }
    if (owner !== undefined) waiting.set(owner, (waiting.get(owner) ?? 0) - 1);
  }
});

/** Simulates consumers with jobs of 200 to 400 ms on a simulated clock. Returns how long each job of an account took from its upload. */
async function simulate(
  uploads: readonly { accountId: string; atMs: number; count: number }[],
  { consumers, watched }: { consumers: number; watched: string },
): Promise<number[]> {
  const random = new Random(5);
  const arrivals = [...uploads].sort((a, b) => a.atMs - b.atMs);
  const freeAtMs: { atMs: number; mediaId: string | undefined }[] = Array.from({ length: consumers }, () => ({
    atMs: NOW,
    mediaId: undefined,
  }));
  const took: number[] = [];
  for (;;) {
    const consumer = freeAtMs.reduce((first, other) => (other.atMs < first.atMs ? other : first));
    while (arrivals[0] !== undefined && arrivals[0].atMs <= consumer.atMs) {
      const { accountId, count, atMs } = arrivals.shift() ?? { accountId: "", count: 0, atMs: 0 };
      await queueImages(accountId, count, { dueAtMs: atMs });
    }
    if (consumer.mediaId !== undefined) await endJob(consumer.mediaId);
    const leaseId = newId("lease");
    const claimed = await claimImage(database, {
      leaseId,
      nowMs: consumer.atMs,
      leaseExpiresAtMs: consumer.atMs + LEASE_MS,
    });
    consumer.mediaId = claimed?.row.id;
    if (claimed === undefined) {
      const next = arrivals[0]?.atMs;
      if (next === undefined) return took;
      consumer.atMs = next;
      continue;
    }
    consumer.atMs += random.int(200, 400);
    if (claimed.row.accountId === watched) took.push(consumer.atMs - (claimed.row.availableAt ?? 0));
  }
}

test("beside a burst of 500, an account that sends one a second waits little longer than alone", async () => {
  const [burst, steady] = [await accountOf("Scale"), await accountOf("Scale")];
  const eachSecond = Array.from({ length: 60 }, (_, second) => ({
    accountId: steady,
    atMs: NOW + second * 1_000,
    count: 1,
  }));
  const quiet = await simulate(eachSecond, { consumers: 2, watched: steady });
  await env.DB.exec("DELETE FROM media");
  const all = [{ accountId: burst, atMs: NOW, count: 500 }, ...eachSecond];
  const busy = await simulate(all, { consumers: 2, watched: steady });
  expect(quiet).toHaveLength(60);
  expect(busy).toHaveLength(60);
  expect(median(busy) / median(quiet)).toBeLessThan(1.5);
  expect(percentile(busy, 0.99) / percentile(quiet, 0.99)).toBeLessThan(3);
});

describe("what a claim costs", () => {
  test.for(Object.entries({ CLAIM_IMAGE, CLAIM_VIDEO, CLAIM_TASK, CLAIM_DELIVERY }))(
    "%s goes along indexes alone",
    async ([, statement]) => {
      const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`)
        .bind(NOW, "lease_a", NOW)
        .all<{ detail: string }>();
      const steps = results.map(({ detail }) => detail);
      expect(steps.filter((step) => step.includes("account_turns_waiting")).length).toBeGreaterThan(0);
      // All reads use an index. Only materialized subqueries and constant rows are scanned.
      expect(steps.filter((step) => /^SCAN (?!CONSTANT)/.test(step))).toEqual([]);
      expect(steps.filter((step) => step.includes("account_turns") && step.includes("TEMP B-TREE"))).toEqual(
        [],
      );
    },
  );

  test("reads as many rows with 100,000 media and 5,000 that wait as with one", async () => {
    const account = await accountOf("Scale");
    const rowsRead = async (): Promise<number> => {
      const { meta } = await env.DB.prepare(CLAIM_IMAGE).bind(NOW, newId("lease"), NOW).run();
      return meta.rows_read;
    };
    await queueImages(account, 1, { dueAtMs: NOW });
    const alone = await rowsRead();
    await queueImages(account, 100_000, { dueAtMs: NOW, status: "completed" });
    await queueImages(account, 5_000, { dueAtMs: NOW });
    expect(alone).toBeGreaterThan(0);
    expect(await rowsRead()).toBeLessThanOrEqual(alone + 2);
  });
});
