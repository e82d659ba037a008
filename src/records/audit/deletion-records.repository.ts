import type { Database } from "../../ground/platform/database.ts";
import { notFrozen } from "../directory/frozen.repository.ts";

/** How many media items one request has deleted, and how many files they were versions of. */
export async function countDeleted(
  database: Database,
  { accountId, requestId }: { accountId: string; requestId: string },
): Promise<{ files: number; versions: number }> {
  const counted = await database.raw
    .prepare(
      `SELECT count(*) AS versions, count(DISTINCT coalesce(first_media_id, media_id)) AS files
       FROM deletion_records WHERE account_id = ?1 AND request_id = ?2`,
    )
    .bind(accountId, requestId)
    .first<{ files: number; versions: number }>();
  return counted ?? { files: 0, versions: 0 };
}

/** Deletes at most `limit` plain-text names whose time is over. */
export async function forgetNames(
  database: Database,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<number> {
  const { meta } = await database.raw
    .prepare(
      `UPDATE deletion_records SET name = NULL, name_until = NULL WHERE media_id IN
         (SELECT media_id FROM deletion_records WHERE name_until <= ?1 AND ${notFrozen("deletion_records.account_id")} LIMIT ?2)`,
    )
    .bind(nowMs, limit)
    .run();
  return meta.changes;
}

/** Deletes at most `limit` deletion records from before `beforeMs`, oldest first. */
export async function forgetDeletions(
  database: Database,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const { meta } = await database.raw
    .prepare(
      `DELETE FROM deletion_records WHERE media_id IN
         (SELECT media_id FROM deletion_records WHERE deleted_at < ?1 AND ${notFrozen("deletion_records.account_id")} ORDER BY deleted_at LIMIT ?2)`,
    )
    .bind(beforeMs, limit)
    .run();
  return meta.changes;
}
