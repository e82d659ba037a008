import { findOrder, findUploadOptions } from "../masking/masking-options.repository.ts";
import { isVerifiedBy, type MaskingOptions } from "../masking/masking-options.ts";
import { findRequests, type IncludedRequest } from "../media-api/included-request.ts";
import { findMedia, type MediaOwnership, type MediaRow } from "../media/media.repository.ts";
import { findModels } from "../media/models.repository.ts";
import { isoDateTime, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { OPENAPI_INFO } from "../../ground/platform/openapi.ts";
import { findCompleted } from "../media-api/detections.service.ts";
import { findKept } from "../video-tasks/kept-work.ts";
import { soundOf, verificationOf } from "./report-parts.ts";
import { findReportedReview, listReportedVersions, type ReportedVersion } from "./report.repository.ts";
import type { Report } from "./report.schemas.ts";
import { reportedDetections, type DetectionsSubject } from "./reported-detections.ts";

/** A report is signed as one text in memory. Detections beyond this limit are left out, and `truncated` is set. */
const MOST_DETECTIONS = 10_000;
const MOST_CHARACTERS = 4_000_000;

/** A completed media item with what its report needs. */
export interface ReportSubject extends DetectionsSubject {
  readonly versions: readonly ReportedVersion[];
  /** The media item whose analysis is used; undefined if it is deleted. */
  readonly analyzed: MediaRow | undefined;
}

/**
 * The media item that a report is about.
 *
 * @throws VeilError 404 if the account has no such media item or it is not completed
 */
export async function findReported(database: Database, owned: MediaOwnership): Promise<ReportSubject> {
  const inspected = await findCompleted(database, owned, {
    none: "so it has no report",
    later: "Its report is available",
  });
  const { accountId } = owned;
  const { row, analysisId } = inspected;
  const firstId = inspected.revisionOf ?? row.id;
  const [versions, analyzed, options] = await Promise.all([
    listReportedVersions(database, { accountId, firstId }),
    analysisId === row.id ? row : findMedia(database, { accountId, mediaId: analysisId }),
    findUploadOptions(database, { accountId, mediaIds: [analysisId] }, {}),
  ]);
  return {
    inspected,
    versions,
    analyzed,
    deciders: { firstId, mediaId: row.id, versions },
    ignoreRegions: options.get(analysisId)?.ignoreRegions ?? [],
  };
}

/** The report about a media item, as of now. */
export async function describeReport(
  config: Pick<ApiEnv, "DB" | "MEDIA">,
  subject: ReportSubject,
): Promise<Report> {
  const { inspected, versions } = subject;
  const { row, found } = inspected;
  const database = openDatabase(config.DB, "primary");
  const owned = { accountId: row.accountId, mediaId: row.id };
  const { options } = await findOrder(database, owned);
  const [detections, models, review, request, sound, verification, isCut] = await Promise.all([
    listDetections(config.MEDIA, subject),
    findModels(database, owned),
    findReportedReview(database, owned),
    requestOf(database, subject, options),
    soundOf(database, row, options),
    verificationOf(database, owned),
    row.mediaType === "image" ? (found?.isTruncated ?? true) : isVideoCut(config.MEDIA, subject),
  ]);
  return {
    report_version: 1,
    issued_at: isoDateTime(nowMs()),
    service: { name: OPENAPI_INFO.info.title, version: OPENAPI_INFO.info.version },
    account_id: row.accountId,
    media: {
      id: row.id,
      filename: row.filename,
      media_type: row.mediaType,
      source_sha256: row.sourceSha256,
      source_bytes: row.fileSizeBytes,
      output_sha256: row.outputSha256,
      output_bytes: row.redactedSizeBytes ?? row.outputSizeBytes,
      created_at: isoDateTime(row.createdAt),
      processed_at: isoDateTime(row.processedAt),
    },
    request,
    models,
    versions: versions.map(versionResponse),
    masks: detections.masks,
    left_open: detections.leftOpen,
    truncated: isCut || detections.isCut,
    sound,
    verification,
    review:
      review === undefined
        ? null
        : { decision: review.decision, by: review.by, at: isoDateTime(review.atMs) },
  };
}

async function listDetections(bucket: R2Bucket, subject: ReportSubject) {
  const masks: Report["masks"] = [];
  const leftOpen: Report["left_open"] = [];
  const isVideo = subject.inspected.row.mediaType === "video";
  let characters = 0;
  for await (const { detection, by, reason } of reportedDetections(bucket, subject)) {
    const { id, category, origin, box, keyframes, start_seconds, end_seconds } = detection;
    const place = isVideo ? { keyframes, start_seconds, end_seconds } : { box };
    characters += JSON.stringify(place).length;
    if (masks.length + leftOpen.length >= MOST_DETECTIONS || characters > MOST_CHARACTERS)
      return { masks, leftOpen, isCut: true };
    if (detection.redacted) masks.push({ id, category, origin, ...place, reason, by });
    else leftOpen.push({ id, category, by, reason });
  }
  return { masks, leftOpen, isCut: false };
}

/** Whether the list of a video's detections is incomplete. Unknown once its analysis is deleted. */
async function isVideoCut(bucket: R2Bucket, { inspected }: ReportSubject): Promise<boolean> {
  const { row, analysisId } = inspected;
  return (await findKept(bucket, { accountId: row.accountId, mediaId: analysisId }))?.isTruncated ?? false;
}

async function requestOf(
  database: Database,
  { inspected: { row }, analyzed }: ReportSubject,
  options: MaskingOptions,
): Promise<Report["request"]> {
  const requests =
    analyzed &&
    (await findRequests(database, {
      accountId: row.accountId,
      listed: [{ row: analyzed }],
      isList: false,
    }));
  const asked: IncludedRequest | undefined = requests?.get(analyzed?.id ?? "");
  return {
    categories: row.categories,
    redaction_method: row.redactionMethod,
    sensitivity: asked?.sensitivity ?? null,
    min_confidence: asked?.min_confidence ?? null,
    regions: asked?.regions ?? null,
    ignore_regions: asked?.ignore_regions ?? null,
    audio: options.audio,
    verify: isVerifiedBy(options, row.mediaType),
  };
}

function versionResponse(version: ReportedVersion): Report["versions"][number] {
  const { id, kind, status, createdAt, processedAt, currentVersionId, madeBy, outputSha256 } = version;
  return {
    id,
    kind,
    status,
    created_at: isoDateTime(createdAt),
    processed_at: isoDateTime(processedAt),
    current: currentVersionId === null,
    by: madeBy,
    output_sha256: outputSha256,
  };
}
