import { and, desc, eq, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import type { MediaOwnership, MediaRow } from "./media.repository.ts";
import type { MediaStatus } from "./media.states.ts";
import { media, mediaCounts } from "./media.table.ts";

/** Filters of the API's media list. */
export interface ListFilter {
  readonly accountId: string;
  readonly status?: MediaStatus | undefined;
  readonly mediaType?: MediaType | undefined;
  readonly externalId?: string | undefined;
  readonly folder?: string | undefined;
  /** True for current versions only, false for other versions only. */
  readonly isCurrent?: boolean | undefined;
}

/** The last media item of a page. The next page begins after it, even if items are added or deleted in the meantime. */
export interface ListPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** A media item and the upload that it is a version of. The upload may have been deleted. */
export interface ListedMedia {
  readonly row: MediaRow;
  readonly firstId: string;
}

/** The upload that a media item is based on: itself, unless it is a revision. */
const FIRST_ID = sql<string>`coalesce((SELECT first_media_id FROM media_revisions WHERE media_id = ${media.id}), ${media.id})`;

/**
 * A page of an account's media, newest first, and the total number of matching items. The page is selected by offset or by the
 * last item before it.
 */
export async function listMedia(
  database: Database,
  filter: ListFilter,
  { limit, ...at }: { limit: number; offset: number } | { limit: number; after: ListPosition | undefined },
): Promise<{ listed: ListedMedia[]; total: number }> {
  const [listed, [count]] = await database.orm.batch([
    selectPage(database, filter, { limit, ...at }),
    countAll(database, filter),
  ]);
  return { listed, total: count?.total ?? 0 };
}

/** The statement that reads a page. */
export function selectPage(
  { orm }: Database,
  filter: ListFilter,
  { limit, ...at }: { limit: number; offset?: number; after?: ListPosition | undefined },
) {
  const { after, offset = 0 } = at;
  const isAfter = after && sql`(${media.createdAt}, ${media.id}) < (${after.createdAt}, ${after.id})`;
  return orm
    .select({ row: media, firstId: FIRST_ID })
    .from(media)
    .where(and(whereFits(filter), isAfter))
    .orderBy(desc(media.createdAt), desc(media.id))
    .limit(limit)
    .offset(offset);
}

/** The statement that counts the matching media items. Counts that triggers maintain are not counted again. */
function countAll({ orm }: Database, filter: ListFilter) {
  const { accountId, status, mediaType, externalId, folder, isCurrent } = filter;
  if (externalId !== undefined || folder !== undefined)
    return orm
      .select({ total: sql<number>`count(*)` })
      .from(media)
      .where(whereFits(filter));
  const { total, superseded } = mediaCounts;
  const counted = isCurrent === undefined ? total : isCurrent ? sql`${total} - ${superseded}` : superseded;
  return orm
    .select({ total: sql<number>`coalesce(sum(${counted}), 0)` })
    .from(mediaCounts)
    .where(
      and(
        eq(mediaCounts.accountId, accountId),
        status === undefined ? undefined : eq(mediaCounts.status, status),
        mediaType === undefined ? undefined : eq(mediaCounts.mediaType, mediaType),
      ),
    );
}

/** The upload that a media item is a version of. */
export async function findFirstId(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<string> {
  const found = await database.raw
    .prepare("SELECT first_media_id AS firstId FROM media_revisions WHERE media_id = ?1 AND account_id = ?2")
    .bind(mediaId, accountId)
    .first<{ firstId: string }>();
  return found?.firstId ?? mediaId;
}

function whereFits(filter: ListFilter): SQL | undefined {
  const { accountId, status, mediaType, externalId, folder, isCurrent } = filter;
  return and(
    eq(media.accountId, accountId),
    status === undefined ? undefined : eq(media.status, status),
    mediaType === undefined ? undefined : eq(media.mediaType, mediaType),
    externalId === undefined ? undefined : eq(media.externalId, externalId),
    folder === undefined ? undefined : eq(media.folder, folder),
    isCurrent === undefined
      ? undefined
      : isCurrent
        ? isNull(media.currentVersionId)
        : isNotNull(media.currentVersionId),
  );
}
