import type { Database } from "../platform/database.ts";

/**
 * Tables whose rows hold something of a media, by what tells such a row. Written by hand: most of these tables stand on floors above.
 * What is kept of a deleted media besides holds IDs, times and codes alone.
 */
export const CONTENT_TABLES: Readonly<Record<string, string>> = {
  media: "id",
  media_detections: "media_id",
  media_reviews: "media_id",
  media_revisions: "media_id",
  review_notes: "media_id",
  batch_files: "media_id",
  masking_options: "media_id",
  video_tasks: "media_id",
  dead_letters: "media_id",
  resumable_uploads: "media_id",
  // An event that tells of the media is kept until it has arrived; that of its deletion holds its ID alone.
  events: "payload ->> '$.media' IS NOT NULL AND media_id",
};

/** The data that remains of a deleted media item. */
export interface Leftovers {
  /** Rows with something of it. */
  readonly rows: number;
  /** When its objects are deleted once more, in case a job that ran meanwhile has written any; null once that is done. */
  readonly purgeAgainAt: number | null;
}

const COUNT_ROWS = Object.entries(CONTENT_TABLES)
  .map(
    ([table, condition]) =>
      `(SELECT count(*) FROM ${table} WHERE ${condition} = asked.value AND account_id = ?1)`,
  )
  .join(" + ");

/** Counts the rows that remain of an account's media items, by their IDs. */
export async function findLeftovers(
  database: Database,
  accountId: string,
  mediaIds: readonly string[],
): Promise<ReadonlyMap<string, Leftovers>> {
  const { results } = await database.raw
    .prepare(
      `SELECT asked.value AS mediaId, ${COUNT_ROWS} AS rows,
         (SELECT settled_at FROM object_purges WHERE media_id = asked.value AND account_id = ?1) AS purgeAgainAt
       FROM json_each(?2) AS asked`,
    )
    .bind(accountId, JSON.stringify(mediaIds))
    .all<Leftovers & { readonly mediaId: string }>();
  return new Map(results.map(({ mediaId, rows, purgeAgainAt }) => [mediaId, { rows, purgeAgainAt }]));
}
