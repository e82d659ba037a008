import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import type { PhotoDetections } from "../../records/media/detections.ts";
import type { Database } from "../../ground/platform/database.ts";
import { IS_MADE, insertVersion, type NewVersion } from "./version.repository.ts";

/** The reviewer's decision behind a revision: the masks were right, or were corrected. */
export type ReviewDecision = "approved" | "corrected";

/** A revision to create. */
export interface NewRevision extends Omit<
  NewVersion,
  "parentStates" | "endsReview" | "alongside" | "analysisMediaId" | "unitsLimit"
> {
  readonly analysisMediaId: string;
  /** What a photo's revision hides and leaves visible. For a video, only its orientation. */
  readonly found: PhotoDetections;
  /** What a video's revision hides, whether masks show their reasons, and whether the output is read again. */
  readonly options?: Partial<MaskingOptions> | undefined;
  /** The decision that ends the review of the revised item, which must still be waiting for one; undefined if there is no review. */
  readonly decision: ReviewDecision | undefined;
}

/**
 * Queues a revision of a completed media item with what it hides, and ends the review if it is a decision. @returns whether it
 * was queued
 */
export async function insertRevision(database: Database, revision: NewRevision): Promise<boolean> {
  const { found, options, decision, ...version } = revision;
  const { parent, row, note } = version;
  const prepare = (sql: string, ...values: readonly (string | number | null)[]): D1PreparedStatement =>
    database.raw.prepare(sql).bind(row.id, parent.accountId, ...values);
  return await insertVersion(database, {
    ...version,
    parentStates: ["completed"],
    unitsLimit: null,
    endsReview: decision !== undefined,
    alongside: [
      ...(decision === undefined
        ? []
        : [
            prepare(
              `UPDATE media_reviews SET state = ?4, decided_at = ?5, decided_by = ?6, result_media_id = ?1
               WHERE media_id = ?3 AND account_id = ?2 AND state = 'waiting' AND ${IS_MADE}`,
              parent.id,
              decision,
              row.createdAt,
              note.deed.actor.id,
            ),
          ]),
      prepare(
        `INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated, reason_texts)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ${IS_MADE}`,
        JSON.stringify(found.detections),
        found.orientation,
        found.isTruncated ? 1 : 0,
        JSON.stringify(found.reasonTexts ?? {}),
      ),
      ...(options === undefined
        ? []
        : [
            prepare(
              `INSERT INTO masking_options (media_id, account_id, options) SELECT ?1, ?2, ?3 WHERE ${IS_MADE}`,
              JSON.stringify(options),
            ),
          ]),
    ],
  });
}

/** Whether a media item is waiting for review. */
export async function isWaitingForReview(
  database: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<boolean> {
  const row = await database.raw
    .prepare("SELECT 1 FROM media_reviews WHERE media_id = ?1 AND account_id = ?2 AND state = 'waiting'")
    .bind(mediaId, accountId)
    .first();
  return row !== null;
}
