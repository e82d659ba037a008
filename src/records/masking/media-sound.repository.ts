import { z } from "zod";
import { readStoredJson } from "../../ground/platform/stored-data.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { heardSpeechSchema, mutedSoundSchema, type HeardSpeech, type MutedSound } from "./media-sound.ts";

/** Stores what is muted in the output of a video that is being processed. Safe to repeat. */
export async function keepMutedSound(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
  muted: readonly MutedSound[],
): Promise<void> {
  await raw
    .prepare(
      `INSERT INTO media_sound (media_id, account_id, muted)
       SELECT id, account_id, ?3 FROM media WHERE id = ?1 AND account_id = ?2 AND status = 'processing'
       ON CONFLICT (media_id) DO UPDATE SET muted = excluded.muted`,
    )
    .bind(mediaId, accountId, JSON.stringify(muted))
    .run();
}

/** Stores the speech in the source of a media item. Safe to repeat. */
export async function keepHeardSpeech(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
  speech: readonly HeardSpeech[],
): Promise<void> {
  await raw
    .prepare(
      `INSERT INTO media_sound (media_id, account_id, speech)
       SELECT id, account_id, ?3 FROM media WHERE id = ?1 AND account_id = ?2
       ON CONFLICT (media_id) DO UPDATE SET speech = excluded.speech`,
    )
    .bind(mediaId, accountId, JSON.stringify(speech))
    .run();
}

/** The speech in the source of a media item; undefined if nobody looked for it. @throws StoredDataError */
export async function findHeardSpeech(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<HeardSpeech[] | undefined> {
  const row = await raw
    .prepare("SELECT speech FROM media_sound WHERE media_id = ?1 AND account_id = ?2")
    .bind(mediaId, accountId)
    .first<{ speech: string | null }>();
  return row === null || row.speech === null
    ? undefined
    : readStoredJson(z.array(heardSpeechSchema), row.speech);
}

/** The sound of a video: what is muted in its output, and the speech in its source. */
export interface MediaSound {
  readonly muted: readonly MutedSound[];
  readonly speech: readonly HeardSpeech[];
}

/** Reads the sound of a media item. Its later versions have the speech of its source. @throws StoredDataError */
export async function findMediaSound(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<MediaSound> {
  const row = await raw
    .prepare(
      `SELECT
         (SELECT muted FROM media_sound WHERE media_id = ?1 AND account_id = ?2) AS muted,
         (SELECT speech FROM media_sound WHERE account_id = ?2 AND media_id = coalesce(
           (SELECT first_media_id FROM media_revisions WHERE media_id = ?1 AND account_id = ?2), ?1)) AS speech`,
    )
    .bind(mediaId, accountId)
    .first<{ muted: string | null; speech: string | null }>();
  return {
    muted: readStoredJson(z.array(mutedSoundSchema), row?.muted ?? "[]"),
    speech: readStoredJson(z.array(heardSpeechSchema), row?.speech ?? "[]"),
  };
}
