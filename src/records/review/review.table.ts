import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ReviewReason } from "./review-reasons.ts";
import type { ReviewRules } from "./review-rules.schemas.ts";

/** Which outputs of an account a person should review. An account without rules has no row. */
export const reviewRules = sqliteTable("review_rules", {
  accountId: text("account_id").primaryKey(),
  rules: text("rules", { mode: "json" }).$type<ReviewRules>().notNull(),
  changedAt: integer("changed_at").notNull(),
});

/** Reviewers' notes about files. A trigger deletes them with their media item. `writtenBy` is a user's ID. */
export const reviewNotes = sqliteTable(
  "review_notes",
  {
    id: text("id").primaryKey(),
    mediaId: text("media_id").notNull(),
    accountId: text("account_id").notNull(),
    writtenBy: text("written_by").notNull(),
    writtenAt: integer("written_at").notNull(),
    text: text("text").notNull(),
  },
  (table) => [index("review_notes_by_media").on(table.mediaId, table.id)],
);

/** `expired`: the original and the result were deleted before anybody reviewed them. */
const REVIEW_STATES = ["waiting", "approved", "corrected", "expired"] as const;

/**
 * Media items that a person should review, and the decisions. `resultMediaId` is the revision that the decision created. Triggers delete
 * the row with its media item, return it to `waiting` when its revision fails, and expire it.
 */
export const mediaReviews = sqliteTable(
  "media_reviews",
  {
    mediaId: text("media_id").primaryKey(),
    accountId: text("account_id").notNull(),
    state: text("state", { enum: REVIEW_STATES }).notNull(),
    reasons: text("reasons", { mode: "json" }).$type<ReviewReason[]>().notNull(),
    flaggedAt: integer("flagged_at").notNull(),
    decidedAt: integer("decided_at"),
    decidedBy: text("decided_by"),
    resultMediaId: text("result_media_id"),
  },
  (table) => [
    index("media_reviews_waiting")
      .on(table.accountId, table.flaggedAt, table.mediaId)
      .where(sql`state = 'waiting'`),
    index("media_reviews_expired")
      .on(table.accountId, table.flaggedAt)
      .where(sql`state = 'expired'`),
    index("media_reviews_by_result")
      .on(table.resultMediaId)
      .where(sql`result_media_id IS NOT NULL`),
  ],
);
