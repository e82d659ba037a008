import type { Database } from "../../ground/platform/database.ts";
import type { ReviewReason } from "./review-reasons.ts";

/**
 * The statement that lists a media for review, once it is completed by this lease: for the batch that completes it. Written by hand:
 * the table of media stands on a floor above.
 */
export function flagMedia(
  database: Database,
  { mediaId, leaseId }: { mediaId: string; leaseId: string },
  { reasons, nowMs }: { reasons: readonly ReviewReason[]; nowMs: number },
): D1PreparedStatement {
  return database.raw
    .prepare(
      `INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at)
       SELECT id, account_id, 'waiting', ?3, ?4 FROM media WHERE id = ?1 AND lease_id = ?2 AND status = 'completed'
       ON CONFLICT (media_id) DO NOTHING`,
    )
    .bind(mediaId, leaseId, JSON.stringify(reasons), nowMs);
}
