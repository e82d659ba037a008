import { announceEvents } from "../../records/events/announce-events.ts";
import { mediaEvent } from "../../records/media/media-events.ts";
import {
  completeMedia,
  exceedQuota,
  failMedia,
  type ClaimedMedia,
  type EndedMedia,
  type PhotoDetections,
} from "../../records/media/media-jobs.repository.ts";
import type { ModelIdentity } from "../../ground/vocabulary/detection.schemas.ts";
import { deleteObjects } from "../../records/media/media.objects.ts";
import { addModels, copyModels } from "../../records/media/models.repository.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import type { StoredOutput } from "../../records/media/output-writer.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ApiEnv, RetentionEnv } from "../../ground/platform/env.ts";
import { flagMedia } from "../../records/review/flag-media.repository.ts";
import { reasonsFor, type Finding, type ReviewReason } from "../../records/review/review-reasons.ts";
import { findReviewRules } from "../../records/review/review-rules.repository.ts";
import { storeVerification } from "../../records/verification/verification.repository.ts";
import type { Verification } from "../../records/verification/verification.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { expireSourceAtOnce, retentionOf } from "../../records/retention/expiry.service.ts";
import type { FailureCode } from "../../ground/vocabulary/failures.ts";

type EndingEnv = RetentionEnv & Pick<ApiEnv, "DB" | "MEDIA" | "WEBHOOK_JOBS">;

/** A media whose job ends, by the lease that holds it. */
interface EndingMedia {
  readonly row: MediaRow;
  readonly claimed: ClaimedMedia;
}

/**
 * Ends a job well: its media is completed and tells so, and its source goes when it is not to be kept.
 *
 * @returns whether the media is completed by this lease
 */
export async function completeJob(
  config: EndingEnv,
  database: Database,
  ending: EndingMedia & {
    readonly isRevision: boolean;
    readonly processedAtMs: number;
    /** Null where no output was asked for. */
    readonly output: StoredOutput | null;
    /** Undefined where what was found is kept elsewhere. */
    readonly found?: PhotoDetections;
    /** The models that looked, if they are not recorded yet. */
    readonly models?: readonly ModelIdentity[];
    /** The detections for the review rules, if `found` does not have all of them. Read only if the account has rules. */
    readonly findings?: AsyncIterable<Finding>;
    /** The second reading of the output. Undefined if nobody asked for one. */
    readonly verification?: Verification | undefined;
  },
): Promise<boolean> {
  const { row, claimed, processedAtMs, output, found } = ending;
  const outputSizeBytes = output?.sizeBytes ?? null;
  const event = mediaEvent(
    "media.processed",
    { ...row, status: "completed", processedAt: processedAtMs, outputSizeBytes },
    processedAtMs,
  );
  const reasons = await reviewReasonsOf(database, ending);
  const { verification } = ending;
  const alongside = [
    ...(reasons.length === 0 ? [] : [flagMedia(database, claimed, { reasons, nowMs: processedAtMs })]),
    ...(ending.isRevision
      ? [copyModels(database, claimed)]
      : addModels(database, claimed, ending.models ?? [])),
    ...(verification === undefined ? [] : [storeVerification(database, claimed, verification)]),
  ];
  const outputSha256 = output?.sha256 ?? null;
  const change = { processedAtMs, outputSizeBytes, outputSha256, event, requestId: row.requestId, alongside };
  const ended = await withRetry(
    STORAGE_RETRY,
    async () =>
      await completeMedia(database, claimed, {
        ...change,
        ...(found && { found }),
        retention: retentionOf(config),
      }),
  );
  if (ended === undefined) return false;
  await announceEvents(config, [event.id]);
  await expireSourceAtOnce(config, row.id, ended);
  return true;
}

/** Why a person should look at a media that completes. What a person has asked for as a revision is not looked at again. */
async function reviewReasonsOf(
  database: Database,
  { row, isRevision, output, found, findings, verification }: Parameters<typeof completeJob>[2],
): Promise<ReviewReason[]> {
  if (isRevision) return [];
  const isDetectOnly = output === null;
  const rules = await withRetry(STORAGE_RETRY, async () => await findReviewRules(database, row.accountId));
  return [
    ...(isDetectOnly ? [{ kind: "detect_only" } as const] : []),
    ...(rules === undefined ? [] : await reasonsFor(findings ?? found?.detections ?? [], rules)),
    ...(rules?.verificationFindings === true && verification?.status === "findings"
      ? [{ kind: "verification", found: verification.findings.length } as const]
      : []),
  ];
}

/** Ends a job badly: its media has failed and tells so. */
export async function failJob(
  config: EndingEnv,
  database: Database,
  { row, claimed, failureCode }: EndingMedia & { readonly failureCode: FailureCode },
): Promise<void> {
  const failedAtMs = nowMs();
  const event = mediaEvent("media.failed", { ...row, status: "failed", failedAt: failedAtMs }, failedAtMs);
  const retention = retentionOf(config);
  const change = { failedAtMs, failureCode, retention, event, requestId: row.requestId };
  const ended = await withRetry(STORAGE_RETRY, async () => await failMedia(database, claimed, change));
  await announceEvents(config, [event.id]);
  await expireSource(config, row, ended);
  if (ended !== undefined && row.sourceDeletedAt !== null) await leaveNothingOfVersion(config, claimed);
}

/** Retention removes what a failed job has left along with its source, and a later version of a file has none of its own. */
async function leaveNothingOfVersion(config: EndingEnv, claimed: ClaimedMedia): Promise<void> {
  try {
    await deleteObjects(config.MEDIA, claimed);
  } catch (error) {
    log("warn", "version.cleanup_postponed", { mediaId: claimed.mediaId, ...errorFields(error) });
  }
}

/** Ends a video whose true duration does not fit the quota. */
export async function refuseOverQuota(
  config: EndingEnv,
  database: Database,
  { row, claimed }: EndingMedia,
): Promise<void> {
  const ended = await exceedQuota(database, claimed, { atMs: nowMs(), retention: retentionOf(config) });
  await expireSource(config, row, ended);
}

async function expireSource(config: EndingEnv, row: MediaRow, ended: EndedMedia | undefined): Promise<void> {
  if (ended !== undefined) await expireSourceAtOnce(config, row.id, ended);
}
