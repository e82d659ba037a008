import { env } from "cloudflare:workers";

/** A counter for a test's IDs, so that they ascend in order of creation. */
let made = 0;

/** Queues images of an account without files in one statement. They are due one after the other from a time on. */
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

/** Completes a job as far as the queue is concerned. */
export async function endJob(mediaId: string): Promise<void> {
  await env.DB.prepare("UPDATE media SET status = 'completed', lease_expires_at = NULL WHERE id = ?")
    .bind(mediaId)
    .run();
}

/** Lets a lease hold a media item's job, as if a worker had claimed it. */
export async function holdMedia(claim: {
  mediaId: string;
  leaseId: string;
  leaseExpiresAtMs: number;
}): Promise<void> {
  await env.DB.prepare(
    "UPDATE media SET status = 'processing', lease_id = ?2, lease_expires_at = ?3, attempts = attempts + 1 WHERE id = ?1",
  )
    .bind(claim.mediaId, claim.leaseId, claim.leaseExpiresAtMs)
    .run();
}
