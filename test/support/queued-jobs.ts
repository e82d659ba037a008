import { env } from "cloudflare:workers";

/** Where a test's ids come from: numbers, so that the order of jobs is that of their making. */
let made = 0;

/** Queues so many images of an account in one statement, without files; due one after the other from a time. */
export async function queueImages(
  accountId: string,
  count: number,
  { dueAtMs, status = "queued" }: { dueAtMs: number; status?: "queued" | "completed" },
): Promise<void> {
  const first = made;
  made += count;
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2 + ?3)
     INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
       file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, quota_units, period_start,
       available_at)
     SELECT printf('%08x-0000-7000-8000-000000000000', i), ?1, ?5, 'photo.png', 'image', 'png', '["heads"]', 'blur',
       1, 1, 1, 'http://veil.test', 'req_test', ?4, 1, '2026-06-01', ?4 FROM n`,
  )
    .bind(accountId, first, count, dueAtMs, status)
    .run();
}

/** Ends a job well, as far as its place in the queue goes. */
export async function endJob(mediaId: string): Promise<void> {
  await env.DB.prepare("UPDATE media SET status = 'completed', lease_expires_at = NULL WHERE id = ?")
    .bind(mediaId)
    .run();
}
