import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { VERIFICATION_STATUSES, type VerificationDraft, type VerificationFinding } from "./verification.ts";

/**
 * Second readings of outputs: places and counts, never pixels. A trigger deletes the row with its media item. `pictures` and
 * `frames` are how many were read. `draft` is set while a photo's output is stored and its second reading is not done, so that
 * another attempt continues there.
 */
export const mediaVerifications = sqliteTable("media_verifications", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  status: text("status", { enum: VERIFICATION_STATUSES }).notNull(),
  pictures: integer("pictures").notNull(),
  frames: integer("frames").notNull(),
  findings: text("findings", { mode: "json" }).$type<VerificationFinding[]>().notNull(),
  draft: text("draft", { mode: "json" }).$type<VerificationDraft>(),
});
