import type { EVENT_SCHEMAS } from "../../../records/media/media-events.ts";
import type { DeletionsResponse } from "../../../records/deletions/deletions.schemas.ts";
import type { MediaCollectionResponse, MediaResponse } from "../../../records/media/media.schemas.ts";
import type { DetectionsResponse } from "../../../records/media-api/detections.schemas.ts";
import type { StatusDetailsResponse } from "../../../records/media-api/status-details.schemas.ts";
import type { UsageResponse } from "../../../records/usage/usage.schemas.ts";
import type { VerificationResponse } from "../../../records/verification/verification.schemas.ts";
import { FAILURE_MESSAGES } from "../../../ground/vocabulary/failures.ts";
import type { z } from "zod";
import { signedReportExample } from "./report.ts";

const MEDIA_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10";
const VIDEO_ID = "019a9c4f-01d2-7b07-a4c3-9e5f60718293";
const REVISION_ID = "019a9c52-8b3c-7e55-9d40-1f2e3d4c5b6a";
const RETRY_ID = "019a9c53-2d4e-7f66-8a51-2b3c4d5e6f70";
const UPLOAD_ID = "upl_Vb3vYcZ0m5gT8sVb3vYcZ0m5gT8sVb3vYcZ0m5gT8s0";
const CREATED_AT = "2026-11-20T13:37:00.000Z";
const PROCESSED_AT = "2026-11-20T13:37:02.418Z";
const DELETED_AT = "2026-11-27T13:37:02.418Z";

const QUEUED: MediaResponse = {
  id: MEDIA_ID,
  status: "queued",
  filename: "street.jpg",
  media_type: "image",
  categories: ["heads", "license_plates"],
  redaction_method: "blur",
  file_size_bytes: 482_133,
  duration_seconds: null,
  created_at: CREATED_AT,
  processed_at: null,
  failed_at: null,
};

const FAILED: MediaResponse = {
  ...QUEUED,
  id: VIDEO_ID,
  status: "failed",
  filename: "drive.mp4",
  media_type: "video",
  file_size_bytes: 18_204_771,
  duration_seconds: 12.48,
  failed_at: PROCESSED_AT,
};

const DELETIONS: DeletionsResponse = {
  checked_at: "2026-11-27T13:40:11.052Z",
  data: [
    {
      media_id: MEDIA_ID,
      revision_of: null,
      media_type: "image",
      file_name: null,
      file_name_digest: "5f0c2f5d4c1f4b0d3a0e4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c",
      file_size_bytes: 482_133,
      source_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      result_sha256: "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
      uploaded_at: CREATED_AT,
      version_made_at: null,
      deleted_at: DELETED_AT,
      deleted_by: {
        type: "api_key",
        id: "key_019a9c40-1a2b-7c3d-8e4f-5a6b7c8d9e0f",
        name: "Case system",
      },
      request_id: "req_019a9c60-2f3e-7d4c-9b5a-6c7d8e9f0a1b",
      objects_left: 0,
      rows_left: 0,
      purge_again_at: null,
    },
  ],
  links: { next: null },
};

const EVENT = {
  id: "evt_019a9c4e-7c2b-7d10-b1f2-3a4b5c6d7e8f",
  timestamp: PROCESSED_AT,
  media_id: MEDIA_ID,
} as const;

/** An example by the name that is shown above it. */
export type Examples = Readonly<Record<string, unknown>>;

/** The successful answers of operations, by operation and status. `baseUrl` is the API's address. */
export function answerExamples(
  baseUrl: string,
): Readonly<Record<string, Readonly<Record<string, Examples>>>> {
  const completed: MediaResponse = {
    ...QUEUED,
    status: "completed",
    processed_at: PROCESSED_AT,
    download_url: `${baseUrl}/media/${MEDIA_ID}/download`,
  };
  return {
    redactMedia: { 201: { Queued: QUEUED } },
    listMedia: { 200: { "The only page": listOf([FAILED, completed]) } },
    getMedia: { 200: { Completed: completed, Queued: QUEUED, Failed: FAILED } },
    getStatusDetails: { 200: { Processing: PROCESSING, Failed: FAILED_DETAILS } },
    getDetections: { 200: { "A photo": DETECTIONS } },
    getVerification: { 200: { "A finding": VERIFICATION } },
    getReport: { 200: { "A photo": signedReportExample(MEDIA_ID) } },
    reviseMedia: { 201: { Queued: { ...QUEUED, id: REVISION_ID } } },
    retryMedia: { 201: { Queued: { ...QUEUED, id: RETRY_ID } } },
    createUpload: {
      201: {
        Created: {
          upload_id: UPLOAD_ID,
          upload_url: `${baseUrl}/uploads/${UPLOAD_ID}`,
          expires_at: "2026-11-21T13:37:00.000Z",
        },
      },
    },
    listDeletions: { 200: { "One file": DELETIONS } },
    getUsage: { 200: { "A plan with limits": USAGE, "A plan without limits": UNLIMITED_USAGE } },
  };
}

/** The JSON bodies of requests and webhooks, by operation. */
export function bodyExamples(baseUrl: string): Readonly<Record<string, Examples>> {
  const processed: z.output<(typeof EVENT_SCHEMAS)["media.processed"]> = {
    ...EVENT,
    event: "media.processed",
    status: "completed",
    processed_at: PROCESSED_AT,
    failed_at: null,
    media: {
      ...QUEUED,
      status: "completed",
      processed_at: PROCESSED_AT,
      download_url: `${baseUrl}/media/${MEDIA_ID}/download`,
    },
  };
  const failed: z.output<(typeof EVENT_SCHEMAS)["media.failed"]> = {
    ...EVENT,
    event: "media.failed",
    media_id: VIDEO_ID,
    status: "failed",
    processed_at: null,
    failed_at: PROCESSED_AT,
    media: FAILED,
  };
  const sourceDeleted: z.output<(typeof EVENT_SCHEMAS)["media.source_deleted"]> = {
    ...EVENT,
    event: "media.source_deleted",
    timestamp: DELETED_AT,
    status: "completed",
    processed_at: PROCESSED_AT,
    failed_at: null,
    media: null,
  };
  return {
    redactMedia: {
      "A file from a URL": {
        source_url: "https://files.example.com/street.jpg?signature=abc",
        categories: ["heads", "license_plates"],
      },
    },
    reviseMedia: {
      "Show one, hide another area": {
        except: ["det_0d2b5c3c9a10_1"],
        regions: [{ box: { x: 0.4, y: 0.9, width: 0.1, height: 0.05 } }],
      },
    },
    mediaProcessed: { "A photo": processed },
    mediaFailed: { "A video": failed },
    mediaSourceDeleted: { "A photo that was deleted": sourceDeleted },
  };
}

const PROCESSING: StatusDetailsResponse = {
  media_id: VIDEO_ID,
  status: "processing",
  progress: 0.42,
  step: "render",
  failure: null,
  source_expires_at: null,
  output_expires_at: null,
};

const FAILED_DETAILS: StatusDetailsResponse = {
  ...PROCESSING,
  status: "failed",
  progress: null,
  step: null,
  failure: { code: "source_unreadable", message: FAILURE_MESSAGES.source_unreadable },
  source_expires_at: DELETED_AT,
};

const DETECTIONS: DetectionsResponse = {
  media_id: MEDIA_ID,
  width: 4032,
  height: 3024,
  duration_seconds: null,
  source_available_until: DELETED_AT,
  revision_of: null,
  detections: [
    {
      id: "det_0d2b5c3c9a10_1",
      category: "heads",
      confidence: 0.87,
      origin: "detector",
      redacted: true,
      box: { x: 0.41, y: 0.12, width: 0.08, height: 0.14 },
    },
    {
      id: "det_0d2b5c3c9a10_2",
      category: "license_plates",
      confidence: 0.31,
      origin: "detector",
      redacted: false,
      box: { x: 0.72, y: 0.63, width: 0.06, height: 0.03 },
    },
  ],
  truncated: false,
};

const VERIFICATION: VerificationResponse = {
  media_id: MEDIA_ID,
  status: "findings",
  looked_at: { pictures: 1, frames: 0 },
  findings: [
    {
      id: "fnd_0d2b5c3c9a10_1",
      kind: "found_again",
      category: "heads",
      confidence: 0.91,
      box: { x: 0.41, y: 0.12, width: 0.08, height: 0.14 },
    },
  ],
};

const USAGE: UsageResponse = {
  plan: "Scale",
  period_start: "2026-11-01",
  period_end: "2026-11-30",
  images: { used: 1482, limit: 100_000 },
  video_minutes: { used: 37.25, limit: 6_000 },
};

const UNLIMITED_USAGE: UsageResponse = {
  ...USAGE,
  plan: "Enterprise",
  images: { used: 1482, limit: null },
  video_minutes: { used: 37.25, limit: null },
};

function listOf(data: MediaResponse[]): MediaCollectionResponse {
  return {
    data,
    pagination: { page: 1, per_page: 20, total: data.length, total_pages: 1 },
    links: { next: null, previous: null },
  };
}
