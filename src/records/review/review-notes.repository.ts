import { prepareEntry, type Deed } from "../audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { newId } from "../../ground/platform/ids.ts";

/** A reviewer's note about a file. */
export interface ReviewNote {
  /** The requested file: the one that was reviewed, or the result of that review. */
  readonly mediaId: string;
  readonly text: string;
  readonly by: string;
  /** The same without an email address. */
  readonly byName: string;
  readonly atMs: number;
}

/** The most notes about one file, so that a repeated request cannot fill the database. */
const MOST_NOTES = 50;

/** Adds a note to a file that is or was in the queue. @returns false if the file already has the most notes */
export async function insertNote(
  database: Database,
  { mediaId, text }: { readonly mediaId: string; readonly text: string },
  deed: Deed,
): Promise<boolean> {
  const id = newId("reviewNote", deed.nowMs);
  const [inserted] = await database.raw.batch([
    database.raw
      .prepare(
        `INSERT INTO review_notes (id, media_id, account_id, written_by, written_at, text)
         SELECT ?1, media_id, account_id, ?4, ?5, ?6 FROM media_reviews
         WHERE media_id = ?2 AND account_id = ?3
           AND (SELECT count(*) FROM review_notes WHERE media_id = ?2) < ${MOST_NOTES}`,
      )
      .bind(id, mediaId, deed.accountId, deed.actor.id, deed.nowMs, text),
    prepareEntry(database, deed, { kind: "media.review_noted", subjectId: mediaId, detail: id }),
  ]);
  return (inserted?.meta.changes ?? 0) > 0;
}

/** The notes about these files of an account and about the files that reviews created them from, oldest first. */
export async function findNotes(
  { raw }: Database,
  accountId: string,
  ids: readonly string[],
): Promise<ReviewNote[]> {
  const { results } = await raw
    .prepare(
      `SELECT asked.value AS mediaId, note.text, note.written_at AS atMs,
         coalesce(users.name || ' (' || users.email || ')', note.written_by) AS "by",
         coalesce(users.name, 'a former member') AS byName
       FROM json_each(?2) AS asked
       JOIN review_notes AS note ON note.account_id = ?1 AND (note.media_id = asked.value
         OR note.media_id IN (SELECT media_id FROM media_reviews WHERE result_media_id = asked.value AND account_id = ?1))
       LEFT JOIN users ON users.id = note.written_by
       ORDER BY note.id`,
    )
    .bind(accountId, JSON.stringify(ids))
    .all<ReviewNote>();
  return results;
}
