import type { Database } from "../../ground/platform/database.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { MediaStatus } from "../media/media.states.ts";

/** A version of a file, as a report lists it. */
export interface ReportedVersion {
  readonly id: string;
  readonly kind: "upload" | "revision" | "retry";
  readonly status: MediaStatus;
  readonly createdAt: number;
  readonly processedAt: number | null;
  /** The current version, if that is another one. */
  readonly currentVersionId: string | null;
  /** The ID of the user who made it, or `request`; null if it is not known. */
  readonly madeBy: string | null;
  readonly outputSha256: string | null;
}

/** The versions of a file that exist, oldest first. Written by hand, because the upload has no row among the revisions. */
export async function listReportedVersions(
  { raw }: Database,
  { accountId, firstId }: { readonly accountId: string; readonly firstId: string },
): Promise<ReportedVersion[]> {
  const { results } = await raw
    .prepare(
      `SELECT media.id, media.status, media.created_at AS createdAt, media.processed_at AS processedAt,
         media.current_version_id AS currentVersionId, media.output_sha256 AS outputSha256,
         CASE WHEN version.media_id IS NULL THEN 'upload'
              WHEN version.analysis_media_id IS NULL THEN 'retry' ELSE 'revision' END AS kind,
         CASE WHEN version.media_id IS NULL THEN 'request' ELSE version.made_by END AS madeBy
       FROM media LEFT JOIN media_revisions AS version ON version.media_id = media.id
       WHERE media.account_id = ?1 AND (media.id = ?2
         OR media.id IN (SELECT media_id FROM media_revisions WHERE first_media_id = ?2 AND account_id = ?1))
       ORDER BY media.created_at, media.id`,
    )
    .bind(accountId, firstId)
    .all<ReportedVersion>();
  return results;
}

/** The decision of a reviewer. */
export interface ReportedReview {
  readonly decision: "approved" | "corrected";
  /** The ID of a user. */
  readonly by: string | null;
  readonly atMs: number;
}

/** The review that made a media item or let it pass; undefined if there was none. Prefers the review that made it. */
export async function findReportedReview(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<ReportedReview | undefined> {
  const { results } = await raw
    .prepare(
      `SELECT state AS decision, decided_by AS "by", decided_at AS atMs FROM media_reviews
       WHERE account_id = ?1 AND (result_media_id = ?2 OR media_id = ?2)
         AND state IN ('approved', 'corrected') AND decided_at IS NOT NULL
       ORDER BY result_media_id IS ?2 DESC LIMIT 1`,
    )
    .bind(accountId, mediaId)
    .all<ReportedReview>();
  return results[0];
}
