import { and, asc, eq, getTableColumns, isNotNull, lte, sql } from "drizzle-orm";
import { insertEvents, type OutboxEvent } from "../events/outbox.repository.ts";
import type { MediaRow } from "../media/media.repository.ts";
import { media } from "../media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { isNotFrozen } from "../directory/frozen.repository.ts";

/**
 * Media items whose source is due for deletion, or whose analysis must be deleted with another item's source, longest due first. With
 * `mediaId`, only that item. Unfinished versions of the same file postpone the deletion; once it is due, no new version may begin.
 */
export async function findDueSources(
  database: Database,
  { nowMs, limit, mediaId }: { nowMs: number; limit: number; mediaId?: string | undefined },
): Promise<MediaRow[]> {
  return await database.orm
    .select(getTableColumns(media))
    .from(media)
    .where(
      and(
        mediaId === undefined ? undefined : eq(media.id, mediaId),
        isNotNull(media.sourceExpiresAt),
        lte(media.sourceExpiresAt, nowMs),
        isNotFrozen(media.accountId),
        sql`NOT EXISTS (SELECT 1 FROM media_revisions
          JOIN media AS version ON version.id = media_revisions.media_id
          WHERE media_revisions.first_media_id = coalesce(
              (SELECT own.first_media_id FROM media_revisions AS own WHERE own.media_id = ${media.id}), ${media.id})
            AND version.status IN ('queued', 'processing'))`,
      ),
    )
    .orderBy(asc(media.sourceExpiresAt))
    .limit(limit);
}

/**
 * Records that sources are deleted, with their events in the same batch. An event is written only if its media item is still due, so that a
 * deletion or another run in between does not lead to a second event. A retry has no source of its own and gets no event.
 *
 * The rows are passed as JSON, because a statement takes at most 100 bound values.
 */
export async function markSourcesDeleted(
  database: Database,
  deleted: readonly { media: MediaRow; event: OutboxEvent }[],
  nowMs: number,
): Promise<void> {
  const events = deleted.map(({ media: { id, requestId }, event }) => ({
    mediaId: id,
    requestId,
    id: event.id,
    kind: event.kind,
    payload: event.payload,
  }));
  const isDue = "media.source_expires_at IS NOT NULL AND media.source_expires_at <= ?2";
  await database.raw.batch([
    database.raw
      .prepare(
        insertEvents({
          id: "value ->> 'id'",
          accountId: "media.account_id",
          mediaId: "media.id",
          kind: "value ->> 'kind'",
          payload: "value ->> 'payload'",
          requestId: "value ->> 'requestId'",
          createdAt: "?2",
          from: `json_each(?1) JOIN media ON media.id = value ->> 'mediaId' WHERE ${isDue} AND media.source_deleted_at IS NULL`,
        }),
      )
      .bind(JSON.stringify(events), nowMs),
    database.raw
      .prepare(
        `UPDATE media SET source_expires_at = NULL, source_deleted_at = ?2
         WHERE id IN (SELECT value FROM json_each(?1)) AND ${isDue}`,
      )
      .bind(JSON.stringify(events.map(({ mediaId }) => mediaId)), nowMs),
  ]);
}

/** Media items whose output is due for deletion, longest due first. */
export async function findDueOutputs(
  database: Database,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<{ mediaId: string; accountId: string }[]> {
  return await database.orm
    .select({ mediaId: media.id, accountId: media.accountId })
    .from(media)
    .where(
      and(isNotNull(media.outputExpiresAt), lte(media.outputExpiresAt, nowMs), isNotFrozen(media.accountId)),
    )
    .orderBy(asc(media.outputExpiresAt))
    .limit(limit);
}

/** Records that outputs are deleted. Their media items can no longer be downloaded. */
export async function markOutputsDeleted(database: Database, mediaIds: readonly string[]): Promise<void> {
  await database.raw
    .prepare(
      `UPDATE media SET output_expires_at = NULL, output_size_bytes = NULL
       WHERE id IN (SELECT value FROM json_each(?1)) AND output_expires_at IS NOT NULL`,
    )
    .bind(JSON.stringify(mediaIds))
    .run();
}

/** Postpones a deletion that failed, so that it does not block the others. */
export async function postponeSource(database: Database, mediaId: string, untilMs: number): Promise<void> {
  await database.orm
    .update(media)
    .set({ sourceExpiresAt: untilMs })
    .where(and(eq(media.id, mediaId), isNotNull(media.sourceExpiresAt)));
}
