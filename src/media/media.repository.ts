import { and, desc, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import { keyColumns } from "../accounts/accounts.repository.ts";
import { accounts, apiKeys } from "../accounts/accounts.table.ts";
import { media, mediaCounts } from "./media.table.ts";
import type { MediaStatus } from "./media.states.ts";
import type { MediaType } from "./media.values.ts";

export type MediaRow = typeof media.$inferSelect;
export type NewMedia = typeof media.$inferInsert;

/** Whose media, and which. */
export interface MediaOwnership {
  readonly accountId: string;
  readonly mediaId: string;
}

interface ListFilter {
  readonly accountId: string;
  readonly status?: MediaStatus | undefined;
  readonly mediaType?: MediaType | undefined;
}

/** One media item of an account, or undefined. */
export async function findMedia(database: Database, owned: MediaOwnership): Promise<MediaRow | undefined> {
  const [row] = await database.orm.select().from(media).where(ownedBy(owned)).limit(1);
  return row;
}

/** One media item, whosever it is: for the service's own jobs, never for a caller. */
export async function findMediaById(database: Database, mediaId: string): Promise<MediaRow | undefined> {
  const [row] = await database.orm.select().from(media).where(eq(media.id, mediaId)).limit(1);
  return row;
}

/** The key with this SHA-256, its account and, by the same statement, one media item of that account. */
export async function findKeyAndMedia(database: Database, sha256: string, mediaId: string) {
  const [found] = await database.orm
    .select({ ...keyColumns, media })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .leftJoin(media, and(eq(media.id, mediaId), eq(media.accountId, accounts.id)))
    .where(eq(apiKeys.sha256, sha256))
    .limit(1);
  return found;
}

/** One page of an account's media, newest first, and how many there are in all. */
export async function listMedia(
  database: Database,
  filter: ListFilter & { offset: number; limit: number },
): Promise<{ rows: MediaRow[]; total: number }> {
  const wanted = (columns: typeof media | typeof mediaCounts): SQL | undefined =>
    and(
      eq(columns.accountId, filter.accountId),
      filter.status === undefined ? undefined : eq(columns.status, filter.status),
      filter.mediaType === undefined ? undefined : eq(columns.mediaType, filter.mediaType),
    );
  const [rows, totals] = await database.orm.batch([
    database.orm
      .select()
      .from(media)
      .where(wanted(media))
      .orderBy(desc(media.createdAt), desc(media.id))
      .limit(filter.limit)
      .offset(filter.offset),
    database.orm
      .select({ total: sql<number>`coalesce(sum(${mediaCounts.total}), 0)` })
      .from(mediaCounts)
      .where(wanted(mediaCounts)),
  ]);
  return { rows, total: totals[0]?.total ?? 0 };
}

/**
 * Removes a media record and, in the same batch, notes that its objects must go.
 *
 * @param settledAtMs when nothing that ran before the removal can write objects any more
 * @returns what was under way of the removed media, or undefined when the account has no such media
 */
export async function deleteMedia(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
  { nowMs, settledAtMs }: { nowMs: number; settledAtMs: number },
): Promise<{ multipartUploadId: string | null } | undefined> {
  const [, removed] = await database.raw.batch<{ multipartUploadId: string | null }>([
    database.raw
      .prepare(
        `INSERT INTO object_purges (media_id, account_id, multipart_upload_id, requested_at, settled_at)
         SELECT id, account_id, multipart_upload_id, ?3, ?4 FROM media WHERE id = ?1 AND account_id = ?2
         ON CONFLICT (media_id) DO NOTHING`,
      )
      .bind(mediaId, accountId, nowMs, settledAtMs),
    database.raw
      .prepare(
        `DELETE FROM media WHERE id = ?1 AND account_id = ?2 RETURNING multipart_upload_id AS multipartUploadId`,
      )
      .bind(mediaId, accountId),
  ]);
  return removed?.results[0];
}

function ownedBy({ accountId, mediaId }: MediaOwnership): SQL | undefined {
  return and(eq(media.id, mediaId), eq(media.accountId, accountId));
}
