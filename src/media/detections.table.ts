import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { StoredDetection } from "./detections.ts";

/**
 * What was found in a photo: places alone, never pixels. A trigger removes it with its media. `orientation` is how a viewer turns the
 * stored picture (Exif 2.32, tag 0x0112); null where more was found than a row holds. `isTruncated`: more was found than is kept one by one.
 */
export const mediaDetections = sqliteTable("media_detections", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  detections: text("detections", { mode: "json" }).$type<StoredDetection[]>().notNull(),
  orientation: integer("orientation").$type<1 | 2 | 3 | 4 | 5 | 6 | 7 | 8>(),
  isTruncated: integer("is_truncated", { mode: "boolean" }).notNull().default(false),
});
