import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";

/** The actions that the audit trail records. */
export const AUDIT_KINDS = [
  "media.uploaded",
  "media.revised",
  "media.restored",
  "media.retried",
  "media.approved",
  "media.review_requested",
  "media.review_noted",
  "media.corrected",
  "media.decision_undone",
  "media.downloaded",
  "media.result_viewed",
  "media.original_viewed",
  "media.deleted",
  "key.created",
  "key.revoked",
  "endpoint.created",
  "endpoint.changed",
  "endpoint.secret_rotated",
  "endpoint.disabled",
  "endpoint.enabled",
  "endpoint.deleted",
  "member.invited",
  "member.invitation_revoked",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "team.renamed",
  "account.plan_changed",
  "account.retention_changed",
  "account.verification_changed",
  "account.suspended",
  "account.resumed",
  "account.deletion_requested",
  "account.deleted",
  "review_rules.changed",
  "name_rules.changed",
  "reasons.changed",
  "trail.exported",
  "user.signed_in",
  "user.sign_in_refused",
  "user.second_factor_reset",
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** `operator` is whoever runs the service, with `npm run admin` or on the page "System". */
export const ACTOR_KINDS = ["user", "api_key", "operator"] as const;

/**
 * The audit trail: who did what in an account, and when. It holds only IDs and short codes: no pixels, positions or file names.
 * IDs begin with their time, so they sort chronologically. Entries about a media item stay when it is deleted.
 *
 * `subjectId` is the object of the action: a media item, key, endpoint, user or invitation. `detail` is another ID or a code.
 * With `onceKey`, a repeated action is recorded only once per key.
 */
export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    actorKind: text("actor_kind", { enum: ACTOR_KINDS }).notNull(),
    actorId: text("actor_id").notNull(),
    kind: text("kind", { enum: AUDIT_KINDS }).notNull(),
    subjectId: text("subject_id").notNull(),
    detail: text("detail"),
    requestId: text("request_id").notNull(),
    createdAt: integer("created_at").notNull(),
    onceKey: text("once_key"),
  },
  (table) => [
    index("audit_by_account").on(table.accountId, table.id),
    index("audit_by_kind").on(table.accountId, table.kind, table.id),
    index("audit_by_actor").on(table.accountId, table.actorId, table.id),
    uniqueIndex("audit_once")
      .on(table.onceKey)
      .where(sql`once_key IS NOT NULL`),
  ],
);

/** Default number of days for which names are stored in plain text if an account chooses that. */
const DEFAULT_NAME_DAYS = 30;

/**
 * How an account's audit trail stores the names of deleted files: as an HMAC with `nameKey`, and also in plain text for
 * `nameDays` if `keepsNames` is set. The key never leaves the service, because it would allow guessing likely names.
 */
export const nameRules = sqliteTable("name_rules", {
  accountId: text("account_id").primaryKey(),
  nameKey: text("name_key").notNull(),
  keepsNames: integer("keeps_names", { mode: "boolean" }).notNull().default(false),
  nameDays: integer("name_days").notNull().default(DEFAULT_NAME_DAYS),
  changedAt: integer("changed_at"),
});

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
