import type { Database } from "../../ground/platform/database.ts";
import type { ReviewReason } from "./review-reasons.ts";

/**
 * The statement that adds a media item to the review queue if this lease completes it. It belongs in the batch that completes the item. It
 * is written by hand, because the table of media is in a layer above.
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
