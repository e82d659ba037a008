import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { sourceKey } from "../../src/records/media/media.objects.ts";
import { MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";

const NOW = Date.UTC(2026, 5, 1);
const MEDIA_ROWS = 50_000;
const MAX_CALLS_A_RUN = 200;

function idOf(index: number): string {
  return `${index.toString(16).padStart(8, "0")}-0000-7000-8000-000000000000`;
}

test("at fifty thousand media a run stays inside a Worker's limits, and some runs later nothing is left", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const { accountId } = await createAccount();
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 - 1)
     INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
       file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, processed_at, quota_units,
       period_start, output_size_bytes, source_expires_at, output_expires_at)
     SELECT printf('%08x-0000-7000-8000-000000000000', i), ?2, 'completed', 'photo.png', 'image', 'png', '["heads"]',
       'blur', 1, 1, 1, 'http://veil.test', 'req_test', ?3, ?3, 1, '2026-06-01', 1, ?3, ?3 FROM n`,
  )
    .bind(MEDIA_ROWS, accountId, NOW)
    .run();
  for (const index of [0, 1, 4_999, 25_000, MEDIA_ROWS - 1])
    await env.MEDIA.put(sourceKey({ accountId, mediaId: idOf(index) }), "x");
  let runs = 0;
  for (; runs < 100; runs++) {
    const counted = faultyBindings(env, () => undefined);
    vi.setSystemTime(NOW + runs * MINUTE_MS);
    await sweep(parseApiEnv({ ...env, ...counted.bindings }));
    expect(counted.calls()).toBeLessThan(MAX_CALLS_A_RUN);
    const left = await env.DB.prepare(
      "SELECT count(*) AS total FROM media WHERE source_expires_at IS NOT NULL OR output_expires_at IS NOT NULL",
    ).first<{ total: number }>();
    if (left?.total === 0) break;
  }
  expect(runs).toBeGreaterThan(5);
  expect(runs).toBeLessThan(30);
  expect((await env.MEDIA.list()).objects).toEqual([]);
  const told = await env.DB.prepare(
    "SELECT count(DISTINCT media_id) AS media, count(*) AS events FROM events WHERE kind = 'media.source_deleted'",
  ).first();
  vi.useRealTimers();
  expect(told).toEqual({ media: MEDIA_ROWS, events: MEDIA_ROWS });
});
