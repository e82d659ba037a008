import { announceEvents } from "../../records/events/announce-events.ts";
import { mediaEvent } from "../../records/media/media-events.ts";
import type { PhotoDetections } from "../../records/media/detections.ts";
import {
  completeMedia,
  exceedQuota,
  failMedia,
  type ClaimedMedia,
  type EndedMedia,
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

/** A media item whose job ends, and the lease that holds it. */
interface EndingMedia {
  readonly row: MediaRow;
  readonly claimed: ClaimedMedia;
}

/**
 * Completes a media item with its event, and deletes its source if sources are not retained.
 *
 * @returns whether this lease completed the media item
 */
export async function completeJob(
  config: EndingEnv,
  database: Database,
  ending: EndingMedia & {
    readonly isRevision: boolean;
    readonly processedAtMs: number;
    /** Null if no output was requested. */
    readonly output: StoredOutput | null;
    /** Undefined if the detections are stored elsewhere. */
    readonly found?: PhotoDetections;
    /** The models that analyzed the source, if they are not recorded yet. */
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

/** Why a person should review a media item that completes. Revisions that a person requested are not reviewed again. */
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

/** Fails a media item with its event. */
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

/** Retention deletes what a failed job left together with its source. A later version has no source of its own, so this is done here. */
async function leaveNothingOfVersion(config: EndingEnv, claimed: ClaimedMedia): Promise<void> {
  try {
    await deleteObjects(config.MEDIA, claimed);
  } catch (error) {
    log("warn", "version.cleanup_postponed", { mediaId: claimed.mediaId, ...errorFields(error) });
  }
}

/** Ends a video whose real duration exceeds the quota. */
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
