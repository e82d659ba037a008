import * as fc from "fast-check";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failMedia } from "../../src/records/media/media-jobs.repository.ts";
import { DAY_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { billingPeriod } from "../../src/records/usage/billing-period.ts";
import { usageSchema } from "../../src/records/usage/usage.schemas.ts";
import { holdMedia } from "../support/queued-jobs.ts";
import { createAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { completed, storedOf } from "../support/leftovers.ts";
import { upload, uploaded } from "../support/uploads.ts";

const NOW = Date.UTC(2026, 1, 10, 12);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

async function usageOf(apiKey: string) {
  return await bodyOf(await call("/usage", { apiKey }), usageSchema);
}

async function consumption(accountId: string): Promise<[number, number]> {
  const row = await env.DB.prepare("SELECT used_units, reserved_units FROM usage WHERE account_id = ?")
    .bind(accountId)
    .first<{ used_units: number; reserved_units: number }>();
  return [row?.used_units ?? 0, row?.reserved_units ?? 0];
}

test("the 429 of a quota states the usage, the limit, and when it resets", async () => {
  const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 2, anchorDay: 15 });
  await uploaded(apiKey);
  await uploaded(apiKey);
  const response = await upload(apiKey, {}, { "Idempotency-Key": "k" });
  expect(response.status).toBe(429);
  expect(await errorOf(response)).toMatchObject({
    code: "quota_exceeded",
    details: { metric: "images", used: 2, limit: 2, period_end: "2026-02-14" },
  });
  expect(response.headers.get("Retry-After")).toBe(String((Date.UTC(2026, 1, 15) - NOW) / 1000));
  expect(await storedOf(accountId)).toEqual({ media: 2, objects: 2, keys: 0, purges: 0 });
});

test("a new period begins with nothing used", async () => {
  const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 1, anchorDay: 15 });
  const { id } = await uploaded(apiKey);
  expect((await upload(apiKey)).status).toBe(429);
  vi.setSystemTime(Date.UTC(2026, 1, 15));
  // A file that has been queued for this long would cause another one to be refused.
  await env.DB.prepare("UPDATE media SET created_at = ? WHERE id = ?").bind(Date.now(), id).run();
  await uploaded(apiKey);
  await completed(accountId, id);
  expect(await usageOf(apiKey)).toMatchObject({
    period_start: "2026-02-15",
    period_end: "2026-03-14",
    images: { used: 0, limit: 1 },
  });
  vi.setSystemTime(NOW);
  expect((await usageOf(apiKey)).images.used).toBe(1);
});

describe("reserved quota", () => {
  test("becomes usage at completion and stays it after deletion", async () => {
    const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 5 });
    const { id } = await uploaded(apiKey);
    expect(await consumption(accountId)).toEqual([0, 1]);
    expect((await usageOf(apiKey)).images).toEqual({ used: 0, limit: 5 });
    await completed(accountId, id);
    expect(await consumption(accountId)).toEqual([1, 0]);
    expect((await usageOf(apiKey)).images).toEqual({ used: 1, limit: 5 });
    await call(`/media/${id}`, { method: "DELETE", apiKey });
    expect(await consumption(accountId)).toEqual([1, 0]);
  });

  test("is given back by failure, by quota_exceeded and by deletion", async () => {
    const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 1 });
    const database = openDatabase(env.DB, "primary");
    const failing = await uploaded(apiKey);
    const claimed = { mediaId: failing.id, accountId, leaseId: "lease" };
    await holdMedia({ ...claimed, leaseExpiresAtMs: NOW + 1 });
    expect((await upload(apiKey)).status).toBe(429);
    const event = { id: "evt_1", kind: "media.failed", payload: "{}" };
    await failMedia(database, claimed, {
      failedAtMs: NOW,
      failureCode: "retries_spent",
      retention: { sourceHours: 24, outputDays: 30 },
      event,
      requestId: "req_",
    });
    expect(await consumption(accountId)).toEqual([0, 0]);

    const tooLong = await uploaded(apiKey);
    expect((await upload(apiKey)).status).toBe(429);
    await env.DB.prepare("UPDATE media SET status = 'quota_exceeded' WHERE id = ?").bind(tooLong.id).run();
    expect(await consumption(accountId)).toEqual([0, 0]);

    const unwanted = await uploaded(apiKey);
    expect((await upload(apiKey)).status).toBe(429);
    await call(`/media/${unwanted.id}`, { method: "DELETE", apiKey });
    expect(await consumption(accountId)).toEqual([0, 0]);
    await uploaded(apiKey);
  });
});

test("50 clients at once never get one image more than the quota, and never one less", async () => {
  const { apiKey, accountId } = await createAccount({ imagesPerPeriod: 17 });
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await upload(apiKey)).status));
  expect(statuses.filter((status) => status === 201)).toHaveLength(17);
  expect(statuses.filter((status) => status === 429)).toHaveLength(33);
  expect(await consumption(accountId)).toEqual([0, 17]);
  expect(await storedOf(accountId)).toEqual({ media: 17, objects: 17, keys: 0, purges: 0 });
});

test.for([
  ["Free", 50, 5],
  ["Starter", 1_000, 60],
  ["Pro", 10_000, 600],
  ["Scale", 100_000, 6_000],
  ["Enterprise", null, null],
] as const)("the plan %s allows %s images and %s video minutes", async ([plan, images, minutes]) => {
  const { apiKey } = await createAccount({ plan });
  expect(await usageOf(apiKey)).toEqual({
    plan,
    period_start: "2026-02-01",
    period_end: "2026-02-28",
    images: { used: 0, limit: images },
    video_minutes: { used: 0, limit: minutes },
  });
});

test("video is counted in minutes to two decimals", async () => {
  const { apiKey, accountId } = await createAccount();
  await env.DB.prepare("INSERT INTO usage VALUES (?, '2026-02-01', 'video', 1234, 500)")
    .bind(accountId)
    .run();
  expect((await usageOf(apiKey)).video_minutes.used).toBe(12.34);
});

describe("billing periods", () => {
  const times = fc.integer({ min: Date.UTC(1999, 0, 1), max: Date.UTC(2101, 0, 1) });
  const anchors = fc.integer({ min: 1, max: 31 });

  test("hold their moment, follow one another without gap, and start on the anchor or the month's last day", () => {
    fc.assert(
      fc.property(times, anchors, (timeMs, anchorDay) => {
        const period = billingPeriod(timeMs, anchorDay);
        const startMs = Date.parse(period.start);
        expect(startMs).toBeLessThanOrEqual(timeMs);
        expect(timeMs).toBeLessThan(period.endsAtMs);
        expect(Date.parse(period.end) + DAY_MS).toBe(period.endsAtMs);
        expect(billingPeriod(startMs, anchorDay)).toEqual(period);
        expect(billingPeriod(period.endsAtMs - 1, anchorDay)).toEqual(period);
        expect(Date.parse(billingPeriod(period.endsAtMs, anchorDay).start)).toBe(period.endsAtMs);
        const start = new Date(startMs);
        const lastDay = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate();
        expect(start.getUTCDate()).toBe(Math.min(anchorDay, lastDay));
        const days = (period.endsAtMs - startMs) / DAY_MS;
        expect(days).toBeGreaterThanOrEqual(28);
        expect(days).toBeLessThanOrEqual(31);
      }),
      { numRuns: 2_000 },
    );
  });

  test.for([
    ["2024-02-29T00:00:00Z", 31, "2024-02-29", "2024-03-30"],
    ["2024-02-28T23:59:59Z", 31, "2024-01-31", "2024-02-28"],
    ["2023-02-28T00:00:00Z", 29, "2023-02-28", "2023-03-28"],
    ["2024-02-29T12:00:00Z", 30, "2024-02-29", "2024-03-29"],
    ["2026-12-31T23:59:59Z", 31, "2026-12-31", "2027-01-30"],
    ["2026-01-01T00:00:00Z", 2, "2025-12-02", "2026-01-01"],
    ["2026-04-30T00:00:00Z", 31, "2026-04-30", "2026-05-30"],
    ["2100-02-28T00:00:00Z", 29, "2100-02-28", "2100-03-28"],
  ] as const)("%s with anchor day %d: %s to %s", ([time, anchorDay, start, end]) => {
    expect(billingPeriod(Date.parse(time), anchorDay)).toMatchObject({ start, end });
  });
});
