import { deedOf } from "../../records/accounts/caller.ts";
import type { Database } from "../../ground/platform/database.ts";
import { validationFailed } from "../../ground/platform/errors.ts";
import { sha256Hex } from "../../ground/platform/ids.ts";
import { findIdempotencyRecord } from "../../records/idempotency/idempotency.repository.ts";
import { overQuota, quotaOf } from "../uploads/quota.ts";
import { keyInUse } from "../uploads/upload.errors.ts";
import { billingPeriod, type BillingPeriod } from "../../records/usage/billing-period.ts";
import { insertRetry, type TriedMedia, findTried } from "./retry.repository.ts";
import { countVersions } from "./version.repository.ts";
import {
  makeVersion,
  queueVersion,
  type Making,
  type VersionAnswer,
  type VersionRequest,
} from "./version.service.ts";
import { failureOf } from "../../records/media/media-failure.ts";
import { sourceKey } from "../../records/media/media.objects.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { noSuchMedia } from "../../records/media/media.service.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { isRetryable } from "../../ground/vocabulary/failures.ts";
import { KEPT_NAME, workKey } from "../../records/video-tasks/video.objects.ts";
import { notFailed, notRetryable, sourceGone } from "./revision.errors.ts";

/** The most retries of one source. Its revisions have a separate limit of the same size. */
const MOST_RETRIES = 50;

/**
 * Creates a new media item from the stored source of a failed one, with the same settings.
 *
 * @throws VeilError 404, 409 if it cannot be retried or the idempotency key is taken, 422, 429
 */
export async function makeRetry(request: VersionRequest): Promise<VersionAnswer> {
  const fingerprint = await sha256Hex(JSON.stringify(["retry", request.owned.mediaId]));
  return await makeVersion(
    request,
    fingerprint,
    async (database, making) => await queueRetry(database, request, making),
  );
}

async function queueRetry(
  database: Database,
  request: VersionRequest,
  { mediaId, createdAt, idempotency }: Making,
): Promise<string> {
  const { config, caller, owned, origin, requestId } = request;
  const tried = await findRetryable(config, database, owned);
  const { row: parent, firstMediaId, analysisMediaId } = tried;
  const period = billingPeriod(createdAt, caller.anchorDay);
  const { redactionMethod, quotaUnits } = parent;
  const row = {
    id: mediaId,
    redactionMethod,
    quotaUnits,
    origin,
    requestId,
    createdAt,
    periodStart: period.start,
  };
  return await queueVersion(request, database, {
    parent,
    row,
    idempotency,
    insert: async (kept) =>
      await insertRetry(database, {
        parent,
        firstMediaId,
        analysisMediaId,
        row,
        unitsLimit: quotaOf(caller, parent.mediaType).unitsLimit,
        mostVersions: MOST_RETRIES,
        note: {
          deed: deedOf(caller, requestId, createdAt),
          done: { kind: "media.retried", subjectId: mediaId, detail: parent.id },
        },
        idempotency: kept,
      }),
    refusal: async () => await refusal(database, request, { tried, idempotency, period }),
  });
}

/** Why the conditional statement that queues had no effect. */
async function refusal(
  database: Database,
  { config, caller, owned }: VersionRequest,
  {
    tried,
    idempotency,
    period,
  }: { tried: TriedMedia; idempotency: Making["idempotency"] | undefined; period: BillingPeriod },
): Promise<Error> {
  const { row, firstMediaId, analysisMediaId } = tried;
  await findRetryable(config, database, owned);
  if (idempotency !== undefined) {
    const record = await findIdempotencyRecord(database, idempotency.lock);
    if (record?.lockId !== idempotency.lock.lockId) return keyInUse();
  }
  const kind = analysisMediaId === null ? "retries" : "revisions";
  const made = await countVersions(database, { accountId: owned.accountId, firstMediaId }, kind);
  if (made >= MOST_RETRIES) {
    const sentence = `The media has ${made} ${kind}; the limit is ${MOST_RETRIES}. Delete one that is no longer needed.`;
    return validationFailed({ media_id: [sentence] });
  }
  return await overQuota(database, caller, { mediaType: row.mediaType, units: row.quotaUnits, period });
}

/** A failed media item that can be retried. @throws VeilError 404 or 409 if it cannot */
async function findRetryable(
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
