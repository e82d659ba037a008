import { and, eq, getTableColumns, sql, type Column, type SQL } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { keyColumns, type KeyRow } from "../accounts/accounts.repository.ts";
import { apiKeys } from "../accounts/accounts.table.ts";
import { accountLocations } from "../directory/directory.table.ts";
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

/** The columns that a poll shows. Each further column costs every poll. */
const shownColumns = {
  id: media.id,
  status: media.status,
  filename: media.filename,
  mediaType: media.mediaType,
  categories: media.categories,
  redactionMethod: media.redactionMethod,
  fileSizeBytes: media.fileSizeBytes,
  durationSeconds: media.durationSeconds,
  createdAt: media.createdAt,
  processedAt: media.processedAt,
  failedAt: media.failedAt,
  failureCode: media.failureCode,
  outputSizeBytes: media.outputSizeBytes,
  folder: media.folder,
  metadata: media.metadata,
  currentVersionId: media.currentVersionId,
} satisfies Partial<Record<keyof MediaRow, Column>>;

/** A media item as a poll shows it. */
export type ShownMedia = Pick<MediaRow, keyof typeof shownColumns>;

const KEY_COLUMNS = Object.entries<Column>(keyColumns);
const SHOWN_COLUMNS = Object.entries<Column>(shownColumns);
const MEDIA_COLUMNS = Object.entries<Column>(getTableColumns(media));
/** The text of a statement travels with each call and is parsed each time, so it is short. */
const KEY_AND_MEDIA = `SELECT ${[...KEY_COLUMNS, ...SHOWN_COLUMNS].map(([, column]) => `${aliasOf(column)}.${column.name}`).join()} FROM api_keys k JOIN accounts a ON a.id=k.account_id LEFT JOIN account_locations l ON l.account_id=a.id LEFT JOIN media m ON m.id=?1 AND m.account_id=a.id WHERE k.sha256=?2`;

function aliasOf({ table }: Column): string {
  if (table === media) return "m";
  if (table === accountLocations) return "l";
  return table === apiKeys ? "k" : "a";
}

/** A key with its account, and one media item if this database has it. */
export type KeyAndMedia = KeyRow & { readonly media: ShownMedia | null };

/**
 * The key with this SHA-256, its account and, in the same statement, one media item of that account. The statement is prepared
 * by hand: every poll runs it, and Drizzle takes longer to build it than SQLite takes to run it.
 */
export async function findKeyAndMedia(
  database: Database,
  sha256: string,
  mediaId: string,
): Promise<KeyAndMedia | undefined> {
  const [values] = await database.raw.prepare(KEY_AND_MEDIA).bind(mediaId, sha256).raw();
  if (values === undefined) return undefined;
  const row = decode(SHOWN_COLUMNS, values.slice(KEY_COLUMNS.length));
  return {
    ...(decode(KEY_COLUMNS, values) as KeyRow),
    media: row["id"] === null ? null : (row as ShownMedia),
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
