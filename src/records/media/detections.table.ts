import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Orientation } from "../../pixels/geometry/orientation.ts";
import type { StoredDetection } from "./detections.ts";

/**
 * The detections of a photo: positions only, never pixels. A trigger deletes them with their media item. `orientation` is how a
 * viewer turns the stored picture (Exif 2.32, tag 0x0112); null if there are more detections than a row can hold. `isTruncated`
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
