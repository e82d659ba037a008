import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import { ACTOR_KINDS } from "./audit.table.ts";

/**
 * Proof that a media item was deleted. It holds no pixels or positions, and no file name unless the account has chosen that,
 * and then only until `nameUntil`. It is written in the batch that deletes the item. `firstMediaId` is the upload that a
 * revision was based on.
 */
export const deletionRecords = sqliteTable(
  "deletion_records",
  {
    mediaId: text("media_id").primaryKey(),
    accountId: text("account_id").notNull(),
    firstMediaId: text("first_media_id"),
    nameDigest: text("name_digest").notNull(),
    name: text("name"),
    nameUntil: integer("name_until"),
    mediaType: text("media_type").$type<MediaType>().notNull(),
    fileSizeBytes: integer("file_size_bytes").notNull(),
    sourceSha256: text("source_sha256"),
    outputSha256: text("output_sha256"),
    uploadedAt: integer("uploaded_at").notNull(),
    deletedAt: integer("deleted_at").notNull(),
    actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
    actorId: text("actor_id").notNull(),
    requestId: text("request_id").notNull(),
  },
  (table) => [
    index("deletion_records_by_account").on(table.accountId, table.deletedAt, table.mediaId),
    index("deletion_records_by_name").on(table.accountId, table.nameDigest),
    index("deletion_records_by_request").on(table.accountId, table.requestId),
    index("deletion_records_by_time").on(table.deletedAt),
    index("deletion_records_with_names")
      .on(table.nameUntil)
      .where(sql`name_until IS NOT NULL`),
  ],
);
