import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Files that arrive in parts (`/uploads`). The ID is the only secret needed to write one, so only its SHA-256 is stored.
 * Complete parts of the first `offsetBytes` bytes are in an R2 multipart upload under the key of the future media item's
 * source. That item's ID is assigned from the beginning. The rest of these bytes is in one object beside it.
 */
export const resumableUploads = sqliteTable(
  "resumable_uploads",
  {
    idSha256: text("id_sha256").primaryKey(),
    accountId: text("account_id").notNull(),
    mediaId: text("media_id").notNull().unique(),
    lengthBytes: integer("length_bytes").notNull(),
    offsetBytes: integer("offset_bytes").notNull().default(0),
    /** The client's metadata about the file, as sent (tus 1.0.0, `Upload-Metadata`). */
    metadata: text("metadata").notNull(),
    filename: text("filename"),
    multipartUploadId: text("multipart_upload_id"),
    /** ETags of the parts in R2, in order. */
    partEtags: text("part_etags", { mode: "json" }).$type<readonly string[]>().notNull(),
    /** The state of SHA-256 after the complete parts; null before the first. */
    sha256State: text("sha256_state"),
    /** The hash of the whole file; null while bytes are missing. */
    sha256: text("sha256"),
    /** The request that writes at the moment, and when its lock expires unless it is extended. */
    lockId: text("lock_id"),
    lockedUntil: integer("locked_until"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** When its file was complete. */
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("resumable_uploads_by_account").on(table.accountId),
    index("resumable_uploads_by_expiry").on(table.expiresAt),
  ],
);
