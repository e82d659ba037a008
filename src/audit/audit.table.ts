import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

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
  "account.suspended",
  "account.resumed",
  "account.deletion_requested",
  "account.deleted",
  "review_rules.changed",
  "name_rules.changed",
  "trail.exported",
  "user.signed_in",
  "user.sign_in_refused",
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** `operator` is whoever runs the service, by `npm run admin` or the page "System". */
export const ACTOR_KINDS = ["user", "api_key", "operator"] as const;

/**
 * The audit trail: who did what in an account, and when. Ids and short codes alone: no pixels, places or file names. Ids begin with
 * their time, so their order is that of what happened. What belongs to a media stays when the media is deleted.
 *
 * `subjectId` is what it was done to: a media, key, endpoint, user or invitation. `detail` is another id or a code.
 * `onceKey` lets one thing be written once in a while, however often it is done.
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
