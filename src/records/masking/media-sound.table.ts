import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { HeardSpeech, MutedSound } from "./media-sound.ts";

/** The sound of videos. A video without muted sound has no row. A trigger deletes the row together with its media. */
export const mediaSound = sqliteTable("media_sound", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  /** The speech in the source that this media item holds. Null if nobody looked for it. */
  speech: text("speech", { mode: "json" }).$type<readonly HeardSpeech[]>(),
  /** What is muted in the output. Null if nothing is. */
  muted: text("muted", { mode: "json" }).$type<readonly MutedSound[]>(),
});
