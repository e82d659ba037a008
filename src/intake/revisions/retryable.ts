import { failureOf } from "../../records/media/media-failure.ts";
import { sourceKey } from "../../records/media/media.objects.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { noSuchMedia } from "../../records/media/media.service.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { isRetryable } from "../../ground/vocabulary/failures.ts";
import { KEPT_NAME, workKey } from "../../records/video-tasks/video.objects.ts";
import { findTried, type TriedMedia } from "./retry.repository.ts";
import { notFailed, notRetryable, sourceGone } from "./revision.errors.ts";

/** A failed media item that can be retried. @throws VeilError 404 or 409 if it cannot */
export async function findRetryable(
  { MEDIA }: Pick<ApiEnv, "MEDIA">,
  database: Database,
  owned: MediaOwnership,
): Promise<TriedMedia> {
  const tried = await findTried(database, owned);
  if (tried === undefined) throw noSuchMedia();
  const { row, firstMediaId, sourceExpiresAt } = tried;
  const failure = failureOf(row);
  if (failure === null) throw notFailed(row.status);
  if (!isRetryable(failure.code)) throw notRetryable(failure);
  if (sourceExpiresAt === null || sourceExpiresAt <= nowMs()) throw sourceGone();
  const isStored = async (key: string): Promise<boolean> =>
    (await withRetry(STORAGE_RETRY, async () => await MEDIA.head(key))) !== null;
  const { accountId } = owned;
  if (!(await isStored(sourceKey({ accountId, mediaId: firstMediaId })))) throw sourceGone();
  if (!(await isAnalysisKept(tried, isStored))) throw sourceGone();
  return tried;
}

/**
 * Whether the data of a failed revision is still stored. A photo's data is stored with the revision. A video's data comes from an
 * analysis.
 */
async function isAnalysisKept(
  { row, analysisMediaId }: TriedMedia,
  isStored: (key: string) => Promise<boolean>,
): Promise<boolean> {
  if (analysisMediaId === null || row.mediaType === "image") return true;
  return await isStored(workKey({ accountId: row.accountId, mediaId: analysisMediaId }, KEPT_NAME));
}
