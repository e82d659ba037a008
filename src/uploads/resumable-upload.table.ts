import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Files that arrive in parts (`/uploads`). The id is the only secret that writing one takes, so its SHA-256 alone is kept. Of
 * `offsetBytes`, whole parts lie in an R2 multipart upload under the key that the media's source will have, whose id is given
 * from the beginning; the rest of them in one object beside it.
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
    /** ETags of the parts that R2 has, the first part first. */
    partEtags: text("part_etags", { mode: "json" }).$type<readonly string[]>().notNull(),
    /** Who writes at the moment, and until when that is believed without a sign of life. */
    lockId: text("lock_id"),
    lockedUntil: integer("locked_until"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    /** When its file became whole. */
    finishedAt: integer("finished_at"),
  },
  (table) => [
    index("resumable_uploads_by_account").on(table.accountId),
    index("resumable_uploads_by_expiry").on(table.expiresAt),
  ],
);
