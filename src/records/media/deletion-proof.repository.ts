import type { Deed } from "../audit/audit.repository.ts";
import { digestOfName, type NameRules } from "../audit/name-rules.repository.ts";
import { DAY_MS } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";

/**
 * The statement that records the proof of a deletion. It must run in the batch that deletes the media item, before the
 * deletion.
 */
export async function recordDeletion(
  database: Database,
  { mediaId, filename, rules }: { mediaId: string; filename: string; rules: NameRules },
  { accountId, actor, requestId, nowMs }: Deed,
): Promise<D1PreparedStatement> {
  const { keepsNames, nameDays } = rules;
  return database.raw
    .prepare(
      `INSERT INTO deletion_records (media_id, account_id, first_media_id, name_digest, name, name_until, media_type,
         file_size_bytes, source_sha256, output_sha256, uploaded_at, deleted_at, actor_kind, actor_id, request_id)
       SELECT id, account_id, (SELECT first_media_id FROM media_revisions WHERE media_id = media.id), ?3, ?4, ?5, media_type,
         file_size_bytes, source_sha256, output_sha256, created_at, ?6, ?7, ?8, ?9
       FROM media WHERE id = ?1 AND account_id = ?2
       ON CONFLICT (media_id) DO NOTHING`,
    )
    .bind(
      mediaId,
      accountId,
      await digestOfName(rules, filename),
      keepsNames ? filename : null,
      keepsNames ? nowMs + nameDays * DAY_MS : null,
      nowMs,
      actor.kind,
      actor.id,
      requestId,
    );
}
