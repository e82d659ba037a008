import { accountSuspended } from "../../../records/accounts/suspension.ts";
import { noSuchMedia } from "../../../records/media/media.service.ts";
import { deletionsQuerySchema } from "../../../records/deletions/deletions.schemas.ts";
import { mediaQuerySchema } from "../../../records/media-api/media-query.schemas.ts";
import {
  VeilError,
  fieldErrors,
  notFound,
  preconditionFailed,
  rangeNotSatisfiable,
  unauthorized,
  validationFailed,
  type FieldErrors,
} from "../../../ground/platform/errors.ts";
import { SERVER_ERROR_MESSAGE } from "../../../ground/platform/http.ts";
import { emptyQuerySchema } from "../../../ground/platform/unknown-names.ts";
import {
  detectionsUnknown,
  notCompleted,
  notFailed,
  notRetryable,
  sourceDeleted,
  sourceGone,
} from "../../../intake/revisions/revision.errors.ts";
import { checkRevision } from "../../../intake/revisions/revision.schemas.ts";
import { pictureTooLarge } from "../../../intake/uploads/resumable/first-bytes.ts";
import { byteCountOf, checkContentType } from "../../../intake/uploads/resumable/tus-headers.ts";
import {
  fileTooLong,
  lockedByAnother,
  noSuchUpload,
  otherChecksum,
  otherOffset,
  otherVersion,
  pastLimits,
  TusError,
  uploadExpired,
} from "../../../intake/uploads/resumable/tus.errors.ts";
import {
  deletedMeanwhile,
  keyInUse,
  keyReused,
  namesNotLookedUp,
  quotaExceeded,
} from "../../../intake/uploads/upload.errors.ts";
import { checkCategories } from "../../../intake/uploads/upload.schemas.ts";
import { FAILURE_MESSAGES } from "../../../ground/vocabulary/failures.ts";
import type { Examples } from "./answers.ts";

const REQUEST_ID = "req_019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10";

/** The error answers of operations, by status. The code of the real answers creates them, so they match. */
export function faultExamples(operationId: string, status: string): Examples | undefined {
  const faults = faultsOf(operationId, status);
  if (faults === undefined) return undefined;
  return Object.fromEntries(Object.entries(faults).map(([summary, error]) => [summary, envelope(error)]));
}

function faultsOf(operationId: string, status: string): Readonly<Record<string, Error>> | undefined {
  if (status === "401")
    return {
      "No key": unauthorized("missing"),
      "A revoked key": unauthorized("revoked"),
      "A suspended account": accountSuspended({
        suspendedReason: "unpaid invoices",
        deletionRequestedAt: null,
      }),
    };
  if (status === "404" && UPLOADS.has(operationId)) return { "No such upload": noSuchUpload() };
  if (status === "409" && operationId === "createUpload") return uploadLimits();
  if (status === "409" && operationId === "sendUploadBytes")
    return { "Another offset": otherOffset(1_048_576, 524_288) };
  if (status === "412" && UPLOADS.has(operationId)) return { "Another version": otherVersion('"0.2.2"') };
  if (UPLOADS.has(operationId) && TUS_ONLY.has(status)) return ofTus(operationId, status);
  if (status === "404") return missing(operationId);
  if (status === "409") return conflicts(operationId);
  if (status === "412") return { "Another file": preconditionFailed() };
  if (status === "416") return { "Past the end": rangeNotSatisfiable('"bytes=900000-"', 482_133) };
  if (status === "422") return { "A faulty field": validationFailed(faultyFields(operationId)) };
  if (status === "429") return tooMuch(operationId);
  if (status === "500") return { "An error on our side": serverError() };
  if (status === "503") return { "DNS lookup failed": namesNotLookedUp(undefined) };
  return undefined;
}

const UPLOADS: ReadonlySet<string> = new Set([
  "createUpload",
  "getUploadOffset",
  "sendUploadBytes",
  "deleteUpload",
]);

const TUS_ONLY: ReadonlySet<string> = new Set(["400", "408", "410", "413", "415", "423", "460"]);

function ofTus(operationId: string, status: string): Readonly<Record<string, Error>> | undefined {
  const header = operationId === "createUpload" ? "Upload-Length" : "Upload-Offset";
  if (status === "400") return { "A bad header": faultOf(() => byteCountOf(() => "many", header)) };
  if (status === "408")
    return {
      "No more bytes": new TusError("request_timeout", { message: "The body stopped arriving for 60 s." }),
    };
  if (status === "410") return { Expired: uploadExpired() };
  if (status === "413") return { "Too large": fileTooLong(6_000_000_000, 5_000_000_000) };
  if (status === "415") return { "Another type": faultOf(() => checkContentType(() => "video/mp4")) };
  if (status === "423") return { "In use": lockedByAnother() };
  return { "Another checksum": otherChecksum("SHA-256") };
}

function faultOf(check: () => unknown): Error {
  try {
    check();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("A check of a bad header has found no fault.");
}

function uploadLimits(): Readonly<Record<string, Error>> {
  const limits = { mostUploads: 200, mostBytes: 50_000_000_000 };
  const lengthBytes = 5_000_000_000;
  return {
    "Too many uploads": pastLimits(limits, { uploads: 200, bytes: 1_200_000_000, lengthBytes }),
    "Too many bytes": pastLimits(limits, { uploads: 12, bytes: 48_000_000_000, lengthBytes }),
  };
}

function missing(operationId: string): Readonly<Record<string, Error>> {
  if (operationId === "redactMedia") return { "Deleted during upload": deletedMeanwhile() };
  const unknown = { "No such media item": noSuchMedia() };
  if (operationId !== "downloadMedia") return unknown;
  return {
    ...unknown,
    "Not ready yet": notFound("This file is being processed. It can be downloaded once it is completed."),
  };
}

function conflicts(operationId: string): Readonly<Record<string, Error>> {
  const ofKeys = { "Still running": keyInUse(), "A key used twice": keyReused() };
  if (operationId === "retryMedia")
    return {
      "Not failed": notFailed("completed"),
      "Would fail again": notRetryable({
        code: "source_unreadable",
        message: FAILURE_MESSAGES.source_unreadable,
      }),
      "Source deleted": sourceGone(),
      ...ofKeys,
    };
  if (operationId !== "reviseMedia") return ofKeys;
  return {
    "Source deleted": sourceDeleted(),
    "Not completed": notCompleted("processing"),
    "Detections not stored": detectionsUnknown(),
    ...ofKeys,
  };
}

/** The operations that reserve quota. */
const RESERVING: ReadonlySet<string> = new Set(["redactMedia", "retryMedia"]);

function tooMuch(operationId: string): Readonly<Record<string, Error>> {
  const ofTheMinute = new VeilError({
    code: "rate_limit_exceeded",
    message: "The plan allows 60 requests per minute. Try again in 12 s.",
    details: { limit: 60, reset: 1_795_181_820 },
  });
  if (!RESERVING.has(operationId)) return { "Too many requests": ofTheMinute };
  const period = { start: "2026-11-01", end: "2026-11-30", endsAtMs: 0 };
  return {
    "Too many requests": ofTheMinute,
    "Quota used up": quotaExceeded({ metric: "images", used: 500, limit: 500, needed: 1, period }),
  };
}

/** The error sentences of an operation for an invalid request. */
function faultyFields(operationId: string): FieldErrors {
  if (operationId === "redactMedia") return { categories: faultsIn(checkCategories(badCategories())) };
  if (UPLOADS.has(operationId)) return { file: [pictureTooLarge(250_000_000, 100_000_000)] };
  if (operationId === "reviseMedia") {
    const checked = checkRevision({ except: "det_0d2b5c3c9a10_1" });
    return "faults" in checked ? checked.faults : {};
  }
  if (operationId === "listDeletions") {
    const { error } = deletionsQuerySchema.safeParse({ media_id: "street.jpg" });
    return error === undefined ? {} : fieldErrors(error);
  }
  const { error } =
    operationId === "listMedia"
      ? mediaQuerySchema.safeParse({ per_page: "500" })
      : emptyQuerySchema.safeParse({ verbose: "1" });
  return error === undefined ? {} : fieldErrors(error);
}

function badCategories(): Map<string, string[]> {
  return new Map([["categories[]", ["faces"]]]);
}

function faultsIn(checked: { readonly value: unknown } | { readonly faults: string[] }): string[] {
  return "faults" in checked ? checked.faults : [];
}

function serverError(): VeilError {
  return new VeilError({ code: "server_error", message: SERVER_ERROR_MESSAGE });
}

function envelope(error: Error): object {
  if (!(error instanceof VeilError || error instanceof TusError)) throw error;
  const { code, message, details } = error;
  return { error: { code, message, details }, request_id: REQUEST_ID };
}
