import { claimImage } from "../../src/work/images/image-claims.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";

/** Fewer than an account may run at once, but enough to measure with a clock of whole milliseconds. */
const CLAIMS_A_BLOCK = 20;
const LEASE_MS = 60_000;
const NOW_MS = 1;

const QUEUE_JOBS = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
  INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method, file_size_bytes,
    width_pixels, height_pixels, origin, request_id, created_at, quota_units, period_start, available_at)
  SELECT lower(hex(randomblob(16))), (SELECT id FROM accounts LIMIT 1), 'queued', 'photo.jpg', 'image', 'jpeg', '["heads"]',
    'blur', 1, 1, 1, 'http://127.0.0.1', 'req_bench', 0, 1, '2026-09-01', 0 FROM n`;

/** The milliseconds per claim, one value per block. */
export interface ClaimTimes {
  readonly fairestMs: readonly number[];
  /** The earlier kind of claim: a claim by the id that a message names, followed by a read. */
  readonly byIdMs: readonly number[];
}

/** Claims jobs of one account that has `waiting` waiting jobs, alternating between both ways. */
export async function measureClaims(
  binding: D1Database,
  { waiting, blocks }: { waiting: number; blocks: number },
): Promise<ClaimTimes> {
  const fairestMs: number[] = [];
  const byIdMs: number[] = [];
  await binding.prepare(QUEUE_JOBS).bind(waiting).run();
  for (let block = 0; block < blocks; block++) {
    fairestMs.push(await measureBlock(binding, claimFairest));
    byIdMs.push(await measureBlock(binding, claimById));
  }
  await binding.prepare("DELETE FROM media WHERE status = 'queued'").run();
  return { fairestMs, byIdMs };
}

async function measureBlock(
  binding: D1Database,
  claim: (binding: D1Database, mediaId: string) => Promise<void>,
): Promise<number> {
  const { results } = await binding
    .prepare("SELECT id FROM media WHERE status = 'queued' LIMIT ?")
    .bind(CLAIMS_A_BLOCK)
    .all<{ id: string }>();
  const startedAtMs = Date.now();
  for (const { id } of results) await claim(binding, id);
  const tookMs = Date.now() - startedAtMs;
  await binding
    .prepare("UPDATE media SET status = 'queued', lease_expires_at = NULL WHERE status = 'processing'")
    .run();
  return tookMs / results.length;
}

async function claimFairest(binding: D1Database): Promise<void> {
  const claim = { leaseId: newUuid(), nowMs: NOW_MS, leaseExpiresAtMs: LEASE_MS };
  const claimed = await claimImage(openDatabase(binding, "primary"), claim);
  if (claimed === undefined) throw new Error("Nothing was claimed.");
}

async function claimById(binding: D1Database, mediaId: string): Promise<void> {
  const { raw } = openDatabase(binding, "primary");
  await raw
    .prepare(
      `UPDATE media SET status = 'processing', lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1
       WHERE id = ?1 AND status = 'queued' AND available_at <= ?4 RETURNING *`,
    )
    .bind(mediaId, newUuid(), LEASE_MS, NOW_MS)
    .first();
  await raw.prepare("SELECT * FROM media WHERE id = ?1 LIMIT 1").bind(mediaId).first();
}
