import { env } from "cloudflare:workers";

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
