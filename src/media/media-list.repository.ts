import { and, desc, eq, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import type { MediaType } from "../vocabulary/media-values.ts";
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
  const [listed, ...totals] = await database.orm.batch([
    selectPage(database, filter, { limit, ...at }),
    ...countAll(database, filter),
  ]);
  const total = totals.reduce((sum, [count]) => sum + (count?.total ?? 0), 0);
  return { listed, total };
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

/**
 * The statements whose totals add up to the number of matching media items. Counts that triggers maintain are not counted
 * again. Only versions that are not current are counted here, because they are few.
 */
function countAll({ orm }: Database, filter: ListFilter) {
  const { accountId, status, mediaType, externalId, folder, isCurrent } = filter;
  const fits = (columns: typeof media | typeof mediaCounts): SQL | undefined =>
    and(
      eq(columns.accountId, accountId),
      status === undefined ? undefined : eq(columns.status, status),
      mediaType === undefined ? undefined : eq(columns.mediaType, mediaType),
    );
  const counted = (sign: 1 | -1, where: SQL | undefined) =>
    orm
      .select({ total: sql<number>`${sql.raw(String(sign))} * count(*)` })
      .from(media)
      .where(where);
  if (externalId !== undefined || folder !== undefined) return [counted(1, whereFits(filter))];
  const notCurrent = and(fits(media), isNotNull(media.currentVersionId));
  if (isCurrent === false) return [counted(1, notCurrent)];
  const all = orm
    .select({ total: sql<number>`coalesce(sum(${mediaCounts.total}), 0)` })
    .from(mediaCounts)
    .where(fits(mediaCounts));
  return isCurrent === true ? [all, counted(-1, notCurrent)] : [all];
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
