import { and, eq, sql } from "drizzle-orm";
import { readStoredJson, StoredDataError } from "../../ground/platform/stored-data.ts";
import { MOST_STORED_CHARACTERS, type ClaimedMedia } from "../media/media-jobs.repository.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { media } from "../media/media.table.ts";
import type { MediaStatus } from "../media/media.states.ts";
import type { Database } from "../../ground/platform/database.ts";
import { storedDraftSchema, storedFindingsSchema } from "./stored-verification.schemas.ts";
import { mediaVerifications } from "./verification.table.ts";
import { NOT_DONE, type Verification, type VerificationDraft } from "./verification.ts";

/**
 * Records that a photo's output is stored and that only its second reading is left.
 *
 * @returns `lost` if the lease no longer holds the job
 */
export async function keepDraft(
  { raw }: Database,
  { mediaId, leaseId }: ClaimedMedia,
  draft: VerificationDraft,
): Promise<"kept" | "too_large" | "lost"> {
  const text = JSON.stringify(draft);
  if (text.length > MOST_STORED_CHARACTERS) return "too_large";
  const { meta } = await raw
    .prepare(
      `INSERT INTO media_verifications (media_id, account_id, status, pictures, frames, findings, draft)
       SELECT id, account_id, 'not_done', 0, 0, '[]', ?3 FROM media
       WHERE id = ?1 AND lease_id = ?2 AND status = 'processing'
       ON CONFLICT (media_id) DO UPDATE SET draft = excluded.draft`,
    )
    .bind(mediaId, leaseId, text)
    .run();
  return meta.changes > 0 ? "kept" : "lost";
}

/** Deletes a draft before its output is written again. @returns whether the lease still holds the job */
export async function dropDraft({ raw }: Database, { mediaId, leaseId }: ClaimedMedia): Promise<boolean> {
  const isHeld = "EXISTS (SELECT 1 FROM media WHERE id = ?1 AND lease_id = ?2 AND status = 'processing')";
  const [, held] = await raw.batch<{ isHeld: number }>([
    raw
      .prepare(`UPDATE media_verifications SET draft = NULL WHERE media_id = ?1 AND ${isHeld}`)
      .bind(mediaId, leaseId),
    raw.prepare(`SELECT ${isHeld} AS isHeld`).bind(mediaId, leaseId),
  ]);
  return held?.results[0]?.isHeld === 1;
}

/** The draft of an earlier attempt. Undefined if there is none or it cannot be read; the photo is then painted again. */
export async function findDraft(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<VerificationDraft | undefined> {
  const row = await raw
    .prepare("SELECT draft FROM media_verifications WHERE media_id = ?1 AND account_id = ?2")
    .bind(mediaId, accountId)
    .first<{ draft: string | null }>();
  const text = row?.draft ?? null;
  try {
    return text === null ? undefined : readStoredJson(storedDraftSchema, text);
  } catch (error) {
    if (error instanceof StoredDataError) return undefined;
    throw error;
  }
}

/** The statement that stores a second reading if this lease completes the media item. It belongs in that batch. */
export function storeVerification(
  { raw }: Database,
  { mediaId, leaseId }: ClaimedMedia,
  { status, pictures, frames, findings }: Verification,
): D1PreparedStatement {
  return raw
    .prepare(
      `INSERT INTO media_verifications (media_id, account_id, status, pictures, frames, findings, draft)
       SELECT id, account_id, ?3, ?4, ?5, ?6, NULL FROM media
       WHERE id = ?1 AND lease_id = ?2 AND status = 'completed'
       ON CONFLICT (media_id) DO UPDATE SET status = excluded.status, pictures = excluded.pictures,
         frames = excluded.frames, findings = excluded.findings, draft = NULL`,
    )
    .bind(mediaId, leaseId, status, pictures, frames, JSON.stringify(findings));
}

/** The state of a media item and its second reading. Undefined if the account has no such item. @throws StoredDataError */
export async function findVerification(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<{ readonly status: MediaStatus; readonly verification: Verification } | undefined> {
  const [row] = await orm
    .select({
      mediaStatus: media.status,
      status: mediaVerifications.status,
      pictures: mediaVerifications.pictures,
      frames: mediaVerifications.frames,
      findings: sql<string | null>`${mediaVerifications.findings}`,
    })
    .from(media)
    .leftJoin(mediaVerifications, eq(mediaVerifications.mediaId, media.id))
    .where(and(eq(media.id, mediaId), eq(media.accountId, accountId)))
    .limit(1);
  if (row === undefined) return undefined;
  const { mediaStatus, status, pictures, frames, findings } = row;
  if (status === null || findings === null) return { status: mediaStatus, verification: NOT_DONE };
  const found = readStoredJson(storedFindingsSchema, findings);
  return {
    status: mediaStatus,
    verification: { status, pictures: pictures ?? 0, frames: frames ?? 0, findings: found },
  };
}
