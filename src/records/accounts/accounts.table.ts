import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { KeyScope } from "../../ground/vocabulary/key-scopes.ts";
import { PLAN_NAMES } from "../../ground/vocabulary/plans.ts";

/**
 * A customer: a team with a plan. The override columns are null where the plan's limit, or the service's retention, holds.
 * `verifyPhotos` and `verifyVideos` say whether outputs are read again unless an upload says otherwise; null for the default of their type.
 * `suspendedAt` is null while the account may be used; `suspendedReason` is the reason that its callers get. An account with
 * `deletionRequestedAt` is suspended too, for good.
 */
export const accounts = sqliteTable(
  "accounts",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    plan: text("plan", { enum: PLAN_NAMES }).notNull(),
    anchorDay: integer("anchor_day").notNull(),
    requestsPerMinute: integer("requests_per_minute"),
    imagesPerPeriod: integer("images_per_period"),
    videoMinutesPerPeriod: integer("video_minutes_per_period"),
    sourceRetentionHours: integer("source_retention_hours"),
    outputRetentionDays: integer("output_retention_days"),
    verifyPhotos: integer("verify_photos", { mode: "boolean" }),
    verifyVideos: integer("verify_videos", { mode: "boolean" }),
    createdAt: integer("created_at").notNull(),
    suspendedAt: integer("suspended_at"),
    suspendedReason: text("suspended_reason"),
    deletionRequestedAt: integer("deletion_requested_at"),
  },
  (table) => [
    index("accounts_to_delete")
      .on(table.deletionRequestedAt)
      .where(sql`deletion_requested_at IS NOT NULL`),
  ],
);

/**
 * API keys: the first characters, to recognize a key, and the SHA-256 of the whole. The key itself is never stored. `scopes` is
 * what it may do, null for everything. `expiresAt` is when it expires, null for never.
 */
export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    sha256: text("sha256").notNull().unique(),
    createdAt: integer("created_at").notNull(),
    lastUsedAt: integer("last_used_at"),
    revokedAt: integer("revoked_at"),
    scopes: text("scopes", { mode: "json" }).$type<KeyScope[]>(),
    expiresAt: integer("expires_at"),
  },
  (table) => [index("api_keys_by_account").on(table.accountId, table.createdAt)],
);
