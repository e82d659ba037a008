import type { deletionRecords } from "../audit/audit.table.ts";
import type { Database } from "../../ground/platform/database.ts";

/** Filters for an account's deletions. */
export interface DeletionFilter {
  readonly accountId: string;
  readonly mediaIds?: readonly string[] | undefined;
  /** Only deletions by this request, such as the deletion of a selection. */
  readonly requestId?: string | undefined;
  readonly nameDigest?: string | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

/** The deletion after which a page begins. */
export interface DeletionPosition {
  readonly deletedAt: number;
  readonly mediaId: string;
}

/**
 * A deletion with the current name and email of who did it; null if that user or key no longer exists. `uploadedAt` is when the file
 * was uploaded, of a version too as long as the record or the media item of its upload exists.
 */
export type DeletionRow = Omit<typeof deletionRecords.$inferSelect, "accountId" | "nameUntil"> & {
  /** When the version was made; null for an upload. */
  readonly versionMadeAt: number | null;
  readonly actorName: string | null;
  readonly actorEmail: string | null;
};

/** A page of an account's deletions, latest first. */
export async function listDeletions(
  database: Database,
  { accountId, mediaIds, requestId, nameDigest, fromMs, untilMs }: DeletionFilter,
  { after, limit }: { after?: DeletionPosition | undefined; limit: number },
): Promise<DeletionRow[]> {
  const values: (string | number)[] = [];
  const bind = (value: string | number): string => `?${values.push(value)}`;
  const conditions = [
    `gone.account_id = ${bind(accountId)}`,
    ...(mediaIds === undefined
      ? []
      : [`gone.media_id IN (SELECT value FROM json_each(${bind(JSON.stringify(mediaIds))}))`]),
    ...(requestId === undefined ? [] : [`gone.request_id = ${bind(requestId)}`]),
    ...(nameDigest === undefined ? [] : [`gone.name_digest = ${bind(nameDigest)}`]),
    ...(fromMs === undefined ? [] : [`gone.deleted_at >= ${bind(fromMs)}`]),
    ...(untilMs === undefined ? [] : [`gone.deleted_at < ${bind(untilMs)}`]),
    ...(after === undefined
      ? []
      : [`(gone.deleted_at, gone.media_id) < (${bind(after.deletedAt)}, ${bind(after.mediaId)})`]),
  ];
  const { results } = await database.raw
    .prepare(
      `SELECT gone.media_id AS mediaId, gone.first_media_id AS firstMediaId, gone.name_digest AS nameDigest, gone.name,
         gone.media_type AS mediaType, gone.file_size_bytes AS fileSizeBytes, gone.source_sha256 AS sourceSha256,
         gone.output_sha256 AS outputSha256, gone.deleted_at AS deletedAt,
         coalesce((SELECT uploaded_at FROM deletion_records WHERE media_id = gone.first_media_id AND account_id = gone.account_id),
           (SELECT created_at FROM media WHERE id = gone.first_media_id AND account_id = gone.account_id),
           gone.uploaded_at) AS uploadedAt,
         CASE WHEN gone.first_media_id IS NOT NULL THEN gone.uploaded_at END AS versionMadeAt,
         gone.actor_kind AS actorKind, gone.actor_id AS actorId, gone.request_id AS requestId,
         coalesce(actor.name, actor_key.name) AS actorName, actor.email AS actorEmail
       FROM deletion_records AS gone
       LEFT JOIN users AS actor ON actor.id = gone.actor_id
       LEFT JOIN api_keys AS actor_key ON actor_key.id = gone.actor_id AND actor_key.account_id = gone.account_id
       WHERE ${conditions.join(" AND ")}
       ORDER BY gone.deleted_at DESC, gone.media_id DESC LIMIT ${bind(limit)}`,
    )
    .bind(...values)
    .all<DeletionRow>();
  return results;
}
