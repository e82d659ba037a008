import {
  and,
  asc,
  desc,
  eq,
  gte,
  inArray,
  isNotNull,
  isNull,
  like,
  lt,
  not,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import { auditEntries } from "../audit/audit.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { MediaRow } from "./media.repository.ts";
import type { MediaStatus } from "./media.states.ts";
import { media, mediaDetections } from "./media.table.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";

/** Filters for an account's media in the dashboard. `name` matches a part of the file name, ignoring case. */
export interface BrowseFilter {
  readonly accountId: string;
  readonly status?: MediaStatus | undefined;
  readonly mediaType?: MediaType | undefined;
  readonly name?: string | undefined;
  readonly category?: RedactionCategory | undefined;
  /** Photos in which something of this category was detected, whether it is hidden or a person left it visible. */
  readonly found?: RedactionCategory | undefined;
  /** Uploaded at this time or later. */
  readonly fromMs?: number | undefined;
  /** Uploaded before this time. */
  readonly untilMs?: number | undefined;
  /** Only media items from a folder whose path contains this text, ignoring case. */
  readonly folder?: string | undefined;
  /** Uploaded with this API key. */
  readonly keyId?: string | undefined;
  /** Only these IDs. */
  readonly ids?: readonly string[] | undefined;
  /** Only current versions. The current version of a file is the newest completed one. */
  readonly isCurrent?: boolean | undefined;
  /** Only items whose IDs this query selects. */
  readonly among?: SQL | undefined;
  /** True for items with a redacted file only, false for items without one only. */
  readonly isDownloadable?: boolean | undefined;
}

/** The sort keys of media lists. */
export const BROWSE_ORDERS = ["uploaded", "name", "size"] as const;

/** How a list of media is sorted. Items that are equal in this are sorted newest first. */
export interface BrowseOrder {
  readonly by: (typeof BROWSE_ORDERS)[number];
  readonly isAscending: boolean;
}

/** The upload that a version was made from; it may be gone. */
const FIRST_ID = sql`coalesce((SELECT first_media_id FROM media_revisions WHERE media_id = ${media.id}), ${media.id})`;

const ORDER_COLUMNS = {
  uploaded: media.uploadedAt,
  name: sql`${media.filename} COLLATE NOCASE`,
  size: media.fileSizeBytes,
} as const;

/** A page of the matching media, newest upload first by default: a correction keeps the place of its upload. It has one row more than `limit` if another page follows. */
export async function browseMedia(
  database: Database,
  filter: BrowseFilter,
  {
    offset,
    limit,
    order = { by: "uploaded", isAscending: false },
  }: { offset: number; limit: number; order?: BrowseOrder },
): Promise<MediaRow[]> {
  const turn = order.isAscending ? asc : desc;
  return await database.orm
    .select()
    .from(media)
    .where(whereFits(filter))
    .orderBy(turn(ORDER_COLUMNS[order.by]), order.by === "uploaded" ? turn(media.id) : desc(media.id))
    .limit(limit + 1)
    .offset(offset);
}

function whereFits(filter: BrowseFilter): SQL | undefined {
  const { status, mediaType, name, category, found, folder, fromMs, untilMs, keyId } = filter;
  const { ids, among, isDownloadable } = filter;
  return and(
    eq(media.accountId, filter.accountId),
    status === undefined ? undefined : eq(media.status, status),
    mediaType === undefined ? undefined : eq(media.mediaType, mediaType),
    name === undefined
      ? undefined
      : or(like(media.filename, sql`${containing(name)} ESCAPE '\\'`), eq(media.id, name)),
    category === undefined
      ? undefined
      : sql`EXISTS (SELECT 1 FROM json_each(${media.categories}) WHERE value = ${category})`,
    found === undefined ? undefined : sql`EXISTS ${detectionsOf(found)}`,
    folder === undefined ? undefined : like(media.folder, sql`${containing(folder)} ESCAPE '\\'`),
    fromMs === undefined ? undefined : gte(media.uploadedAt, fromMs),
    untilMs === undefined ? undefined : lt(media.uploadedAt, untilMs),
    keyId === undefined ? undefined : sql`${FIRST_ID} IN ${uploadedWith(filter.accountId, keyId)}`,
    // A search for an ID means exactly that version.
    filter.isCurrent === true
      ? or(isNull(media.currentVersionId), name === undefined ? undefined : eq(media.id, name))
      : undefined,
    ids === undefined ? undefined : sql`${media.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    among === undefined ? undefined : sql`${media.id} IN ${among}`,
    isDownloadable === undefined ? undefined : isDownloadable ? HAS_OUTPUT : not(HAS_OUTPUT),
  );
}

const HAS_OUTPUT = sql`(${media.status} = 'completed' AND ${media.outputSizeBytes} IS NOT NULL)`;

/**
 * Detections that are visible by default were below the threshold or inside an ignored region. Detections without a confidence were
 * requested.
 */
function detectionsOf(category: RedactionCategory): SQL {
  return sql`(SELECT 1 FROM ${mediaDetections}, json_each(${mediaDetections.detections}) AS thing
    WHERE ${mediaDetections.mediaId} = ${media.id} AND thing.value ->> '$.category' = ${category}
      AND thing.value ->> '$.confidence' IS NOT NULL
      AND (thing.value ->> '$.isOpen' IS NULL OR thing.value ->> '$.isOpenByDefault' IS NULL))`;
}

/** The other versions of the files whose current versions are given, newest first. */
export async function listOtherVersions(
  database: Database,
  accountId: string,
  currentIds: readonly string[],
): Promise<MediaRow[]> {
  return await database.orm
    .select()
    .from(media)
    .where(
      and(
        eq(media.accountId, accountId),
        sql`${media.currentVersionId} IN (SELECT value FROM json_each(${JSON.stringify(currentIds)}))`,
      ),
    )
    .orderBy(desc(media.id));
}

/** The files before and after a media item in the list of current versions, newest upload first; undefined at the list's ends. */
export async function findBeside(
  { orm }: Database,
  { accountId, id }: Pick<MediaRow, "accountId" | "id">,
): Promise<{ readonly newerId: string | undefined; readonly olderId: string | undefined }> {
  const own = sql`(SELECT ${media.uploadedAt}, coalesce(${media.currentVersionId}, ${media.id}) FROM ${media} WHERE ${media.id} = ${id} AND ${media.accountId} = ${accountId})`;
  const beside = async (side: SQL, turn: typeof asc): Promise<string | undefined> => {
    const [found] = await orm
      .select({ id: media.id })
      .from(media)
      .where(
        and(
          eq(media.accountId, accountId),
          isNull(media.currentVersionId),
          sql`(${media.uploadedAt}, ${media.id}) ${side} ${own}`,
        ),
      )
      .orderBy(turn(media.uploadedAt), turn(media.id))
      .limit(1);
    return found?.id;
  };
  const [newerId, olderId] = await Promise.all([beside(sql`>`, asc), beside(sql`<`, desc)]);
  return { newerId, olderId };
}

/** The current versions of the files that these media items are versions of. */
export async function findCurrentIds(
  database: Database,
  accountId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.orm
    .selectDistinct({ id: sql<string>`coalesce(${media.currentVersionId}, ${media.id})` })
    .from(media)
    .where(
      and(
        eq(media.accountId, accountId),
        sql`${media.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    );
  return rows.map(({ id }) => id);
}

/**
 * The top-level folder that all these media items came from, or null if they have none in common, and when the first one was
 * uploaded.
 */
export async function findOrigin(
  { raw }: Database,
  accountId: string,
  ids: readonly string[],
): Promise<{ folder: string | null; firstAtMs: number | null }> {
  const found = await raw
    .prepare(
      `SELECT min(created_at) AS firstAtMs,
         CASE WHEN count(DISTINCT top) = 1 AND count(top) = count(*) THEN min(top) END AS folder
       FROM (SELECT created_at, CASE instr(folder, '/') WHEN 0 THEN folder ELSE substr(folder, 1, instr(folder, '/') - 1) END AS top
         FROM media WHERE account_id = ?1 AND id IN (SELECT value FROM json_each(?2)))`,
    )
    .bind(accountId, JSON.stringify(ids))
    .first<{ folder: string | null; firstAtMs: number | null }>();
  return found ?? { folder: null, firstAtMs: null };
}

/** The audit trail records which key uploaded a file; the media row does not. */
function uploadedWith(accountId: string, keyId: string): SQL {
  return sql`(SELECT ${auditEntries.subjectId} FROM ${auditEntries} WHERE ${auditEntries.accountId} = ${accountId}
    AND ${auditEntries.actorId} = ${keyId} AND ${auditEntries.kind} = 'media.uploaded')`;
}

/** The folders of an account's media, sorted by name, at most `limit`. */
export async function listFolders(database: Database, accountId: string, limit: number): Promise<string[]> {
  const rows = await database.orm
    .selectDistinct({ folder: sql<string>`${media.folder}` })
    .from(media)
    .where(and(eq(media.accountId, accountId), isNotNull(media.folder)))
    .orderBy(asc(media.folder))
    .limit(limit);
  return rows.map(({ folder }) => folder);
}

/** How long the latest completed media items took from upload to completion, in milliseconds, at most `limit` values. */
export async function latestLatencies(
  database: Database,
  accountId: string,
  limit: number,
): Promise<number[]> {
  const rows = await database.orm
    .select({ latencyMs: sql<number>`${media.processedAt} - ${media.createdAt}` })
    .from(media)
    .where(and(eq(media.accountId, accountId), inArray(media.status, ["completed"])))
    .orderBy(desc(media.createdAt), desc(media.id))
    .limit(limit);
  return rows.map(({ latencyMs }) => latencyMs);
}

/** A LIKE pattern for texts that contain `part`, with the wildcards in `part` escaped. */
function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
