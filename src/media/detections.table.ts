import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { StoredDetection } from "./detections.ts";

/** What was found in a completed media: places alone, never pixels. A trigger removes it with its media. */
export const mediaDetections = sqliteTable("media_detections", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  detections: text("detections", { mode: "json" }).$type<StoredDetection[]>().notNull(),
});
