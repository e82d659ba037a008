import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "../accounts/accounts.table.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type {
  ConvertedFormat,
  MediaFormat,
  MediaType,
  RedactionMethod,
} from "../../ground/vocabulary/media-values.ts";
import { MEDIA_STATUSES } from "./media.states.ts";
import type { Orientation } from "../../pixels/geometry/orientation.ts";
import type { StoredDetection } from "./detections.ts";

/**
 * Media items and the states of their jobs.
 *
 * `quotaUnits` is what the item takes from its quota: 1 for an image, hundredths of a minute for a video.
 * `format` is the format of its output; `sourceFormat` is the uploaded format if its job converts the file first.
 * `multipartUploadId` and `outputUploadId` are the unfinished R2 uploads of the source and of the output.
 * `leaseId` is the lease that holds the job or held it last; `availableAt` is when a queued job may be claimed.
 * `sourceExpiresAt` and `outputExpiresAt` are set when processing ends, and null again once the objects are gone;
 * `outputSizeBytes` is null while there is no output.
 * `folder` is where the file came from, `metadata` is stored for the client, and `externalId` is its `external_id`.
 * `sourceSha256` is the hash of the uploaded file; null for an upload from before hashes were taken.
 * `outputSha256` and `redactedSizeBytes` are the hash and the size of the redacted file, which stay when it is deleted.
 * `uploadedAt` is when the upload was made that the item is a version of; it is never null once inserted.
 * `currentVersionId` is the current version of the same file, if that is another item; triggers maintain it.
 * `leaseExpiresAt` is when the upload of a pending item, or the worker of a processing one, counts as dead.
 */
export const media = sqliteTable(
  "media",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    status: text("status", { enum: MEDIA_STATUSES }).notNull(),
    filename: text("filename").notNull(),
    mediaType: text("media_type").$type<MediaType>().notNull(),
    format: text("format").$type<MediaFormat>().notNull(),
    sourceFormat: text("source_format").$type<ConvertedFormat>(),
    categories: text("categories", { mode: "json" }).$type<RedactionCategory[]>().notNull(),
    redactionMethod: text("redaction_method").$type<RedactionMethod>().notNull(),
    fileSizeBytes: integer("file_size_bytes").notNull(),
    widthPixels: integer("width_pixels").notNull(),
    heightPixels: integer("height_pixels").notNull(),
    durationSeconds: real("duration_seconds"),
    origin: text("origin").notNull(),
    requestId: text("request_id").notNull(),
    createdAt: integer("created_at").notNull(),
    processedAt: integer("processed_at"),
    failedAt: integer("failed_at"),
    failureCode: text("failure_code"),
    multipartUploadId: text("multipart_upload_id"),
    outputUploadId: text("output_upload_id"),
    quotaUnits: integer("quota_units").notNull(),
    periodStart: text("period_start").notNull(),
    attempts: integer("attempts").notNull().default(0),
    leaseId: text("lease_id"),
    leaseExpiresAt: integer("lease_expires_at"),
    availableAt: integer("available_at"),
    outputSizeBytes: integer("output_size_bytes"),
    sourceExpiresAt: integer("source_expires_at"),
    sourceDeletedAt: integer("source_deleted_at"),
    outputExpiresAt: integer("output_expires_at"),
    folder: text("folder"),
    metadata: text("metadata", { mode: "json" }).$type<Readonly<Record<string, string>>>(),
    externalId: text("external_id"),
    currentVersionId: text("current_version_id"),
    sourceSha256: text("source_sha256"),
    outputSha256: text("output_sha256"),
    redactedSizeBytes: integer("redacted_size_bytes"),
    uploadedAt: integer("uploaded_at"),
  },
  (table) => [
    index("media_source_expiry")
      .on(table.sourceExpiresAt)
      .where(sql`source_expires_at IS NOT NULL`),
    index("media_output_expiry")
      .on(table.outputExpiresAt)
      .where(sql`output_expires_at IS NOT NULL`),
    index("media_with_objects")
      .on(table.accountId, table.id)
      .where(sql`source_deleted_at IS NULL OR output_size_bytes IS NOT NULL`),
    index("media_by_account").on(table.accountId, table.createdAt, table.id),
    index("media_by_account_status").on(table.accountId, table.status, table.createdAt, table.id),
    index("media_by_account_type").on(table.accountId, table.mediaType, table.createdAt, table.id),
    index("media_by_account_folder")
      .on(table.accountId, table.folder, table.createdAt, table.id)
      .where(sql`folder IS NOT NULL`),
    index("media_by_external_id")
      .on(table.accountId, table.externalId, table.createdAt, table.id)
      .where(sql`external_id IS NOT NULL`),
    index("media_not_current")
      .on(table.accountId, table.status, table.mediaType)
      .where(sql`current_version_id IS NOT NULL`),
    index("media_by_upload")
      .on(table.accountId, table.uploadedAt, table.id)
      .where(sql`current_version_id IS NULL`),
    index("media_unfinished").on(table.status, table.availableAt),
    index("media_queued")
      .on(table.accountId, table.mediaType, table.availableAt, table.id)
      .where(sql`status = 'queued'`),
    index("media_held")
      .on(table.leaseId)
      .where(sql`status = 'processing'`),
  ],
);

/** How many media items an account has of each status and type. Triggers maintain it, so a list needs no count for its total. */
export const mediaCounts = sqliteTable(
  "media_counts",
  {
    accountId: text("account_id").notNull(),
    status: text("status", { enum: MEDIA_STATUSES }).notNull(),
    mediaType: text("media_type").$type<MediaType>().notNull(),
    total: integer("total").notNull(),
    /** Those that are not the current version of their file. */
    superseded: integer("superseded").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.status, table.mediaType] })],
);

/** Deleted media items whose objects must be deleted too. A row is removed once nothing can write such objects anymore. */
export const objectPurges = sqliteTable(
  "object_purges",
  {
    mediaId: text("media_id").primaryKey(),
    accountId: text("account_id").notNull(),
    multipartUploadId: text("multipart_upload_id"),
    outputUploadId: text("output_upload_id"),
    requestedAt: integer("requested_at").notNull(),
    settledAt: integer("settled_at").notNull(),
  },
  (table) => [index("object_purges_by_time").on(table.settledAt)],
);

/** The models that analyzed a media item. A trigger deletes the rows with it. `sha256` is the hash of the model's weights. */
export const mediaModels = sqliteTable(
  "media_models",
  {
    mediaId: text("media_id").notNull(),
    accountId: text("account_id").notNull(),
    modelId: text("model_id").notNull(),
    version: text("version").notNull(),
    sha256: text("sha256").notNull(),
  },
  (table) => [primaryKey({ columns: [table.mediaId, table.modelId, table.version, table.sha256] })],
);

/**
 * The detections of a photo. They hold positions and no pixels. A trigger deletes them with their media item. `orientation` is the Exif
 * orientation of the stored picture (Exif 2.32, tag 0x0112). It is null if there are more detections than a row can hold. `isTruncated`
 * means that there are more detections than stored ones. `reasonTexts` has the text of each code that the detections carry.
 */
export const mediaDetections = sqliteTable("media_detections", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  detections: text("detections", { mode: "json" }).$type<StoredDetection[]>().notNull(),
  orientation: integer("orientation").$type<Orientation>(),
  isTruncated: integer("is_truncated", { mode: "boolean" }).notNull().default(false),
  reasonTexts: text("reason_texts", { mode: "json" }).$type<Record<string, string>>(),
});

/**
 * Later versions of an uploaded file: revisions, and retries of failed versions. A trigger deletes the row together with the version.
 *
 * `firstMediaId` is the upload that holds the source. `analysisMediaId` is the media item whose analysis a revision uses, which is the
 * upload or a retry of it. A retry is analyzed again, so its `analysisMediaId` is null. Both media items may have been deleted.
 *
 * `madeBy` is the ID of the user who made the version, or `request` for a program with an API key. It is null for versions whose
 * audit entries had expired before makers were stored.
 */
export const mediaRevisions = sqliteTable(
  "media_revisions",
  {
    mediaId: text("media_id").primaryKey(),
    accountId: text("account_id").notNull(),
    firstMediaId: text("first_media_id").notNull(),
    analysisMediaId: text("analysis_media_id"),
    madeBy: text("made_by"),
  },
  (table) => [index("media_revisions_by_first").on(table.firstMediaId)],
);
