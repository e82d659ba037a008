import { and, eq, getTableColumns, getTableName, sql, type Column, type SQL } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { keyColumns, type KeyRow } from "../accounts/accounts.repository.ts";
import { media } from "./media.table.ts";

export type MediaRow = typeof media.$inferSelect;
export type NewMedia = typeof media.$inferInsert;

/** A media item and the account that owns it. */
export interface MediaOwnership {
  readonly accountId: string;
  readonly mediaId: string;
}

/** One media item of an account; undefined if there is none. */
export async function findMedia(database: Database, owned: MediaOwnership): Promise<MediaRow | undefined> {
  const [row] = await database.orm.select().from(media).where(ownedBy(owned)).limit(1);
  return row;
}

/** One media item of any account. For the service's own jobs, never for a caller. */
export async function findMediaById(database: Database, mediaId: string): Promise<MediaRow | undefined> {
  const [row] = await database.orm.select().from(media).where(eq(media.id, mediaId)).limit(1);
  return row;
}

/** SQL for the account of a media item: null if there is no such item. */
export function accountOfMedia(mediaId: string): SQL {
  return sql`(SELECT ${media.accountId} FROM ${media} WHERE ${media.id} = ${mediaId})`;
}

const KEY_COLUMNS = Object.entries<Column>(keyColumns);
const MEDIA_COLUMNS = Object.entries<Column>(getTableColumns(media));
const KEY_AND_MEDIA = `
  SELECT ${[...KEY_COLUMNS, ...MEDIA_COLUMNS].map(([, column]) => `${getTableName(column.table)}.${column.name}`).join(", ")}
  FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id
  LEFT JOIN media ON media.id = ?1 AND media.account_id = accounts.id
  WHERE api_keys.sha256 = ?2`;

/**
 * The key with this SHA-256, its account and, in the same statement, one media item of that account. The statement is prepared
 * by hand: every poll runs it, and Drizzle takes longer to build it than SQLite takes to run it.
 */
export async function findKeyAndMedia(
  database: Database,
  sha256: string,
  mediaId: string,
): Promise<(KeyRow & { media: MediaRow | null }) | undefined> {
  const [values] = await database.raw.prepare(KEY_AND_MEDIA).bind(mediaId, sha256).raw();
  if (values === undefined) return undefined;
  const row = decode(MEDIA_COLUMNS, values.slice(KEY_COLUMNS.length));
  return {
    ...(decode(KEY_COLUMNS, values) as KeyRow),
    media: row["id"] === null ? null : (row as MediaRow),
  };
}

/** Converts a row that was read without Drizzle into the media item that Drizzle would return. */
export function mediaRowOf(row: Readonly<Record<string, unknown>>): MediaRow {
  const values = MEDIA_COLUMNS.map(([, column]) => row[column.name]);
  return decode(MEDIA_COLUMNS, values) as MediaRow;
}

/** Converts the values of columns, in their order, as Drizzle would. */
function decode(
  columns: readonly (readonly [string, Column])[],
  values: readonly unknown[],
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [index, [name, column]] of columns.entries()) {
    const value = values[index] ?? null;
    row[name] = value === null ? null : column.mapFromDriverValue(value);
  }
  return row;
}

function ownedBy({ accountId, mediaId }: MediaOwnership): SQL | undefined {
  return and(eq(media.id, mediaId), eq(media.accountId, accountId));
}
