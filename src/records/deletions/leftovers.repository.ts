import type { Database } from "../../ground/platform/database.ts";

/**
 * Tables whose rows hold data of a media item, each with the expression for the item's ID. All other data about a deleted media
 * item consists of IDs, times and codes.
 */
export const CONTENT_TABLES: Readonly<Record<string, string>> = {
  media: "id",
  media_detections: "media_id",
  media_reviews: "media_id",
  media_verifications: "media_id",
  media_revisions: "media_id",
  review_notes: "media_id",
  batch_files: "media_id",
  masking_options: "media_id",
  media_models: "media_id",
  media_sound: "media_id",
  video_tasks: "media_id",
  dead_letters: "media_id",
  resumable_uploads: "media_id",
  // An event with the media item's data is kept until it is delivered. The event about its deletion holds only its ID.
  events: "payload ->> '$.media' IS NOT NULL AND media_id",
};

/** The remaining data of a deleted media item. */
export interface Leftovers {
  /** Rows that hold its data. */
  readonly rows: number;
  /** When its objects are deleted again, in case a job that was running during the deletion wrote any. Null once that is done. */
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
