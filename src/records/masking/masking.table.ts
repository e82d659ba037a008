import { sqliteTable, text, integer } from "drizzle-orm/sqlite-core";
import type { MaskingOptions } from "./masking-options.ts";
import type { HeardSpeech, MutedSound } from "./media-sound.ts";
import type { DefaultReasons, Reason } from "./reasons.schemas.ts";

/**
 * Options of uploads beyond the contract. An upload without any has no row, and polls never read the table. A trigger deletes
 * the row together with its media.
 */
export const maskingOptions = sqliteTable("masking_options", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  /** The options that differ from the defaults. */
  options: text("options", { mode: "json" }).$type<Partial<MaskingOptions>>().notNull(),
});

/** The sound of videos. A video without muted sound has no row. A trigger deletes the row together with its media. */
export const mediaSound = sqliteTable("media_sound", {
  mediaId: text("media_id").primaryKey(),
  accountId: text("account_id").notNull(),
  /** The speech in the source that this media item holds. Null if nobody looked for it. */
  speech: text("speech", { mode: "json" }).$type<readonly HeardSpeech[]>(),
  /** What is muted in the output. Null if nothing is. */
  muted: text("muted", { mode: "json" }).$type<readonly MutedSound[]>(),
});

/** The reasons that an account's masks may carry, and the default reasons by category. An account without any has no row. */
export const accountReasons = sqliteTable("account_reasons", {
  accountId: text("account_id").primaryKey(),
  reasons: text("reasons", { mode: "json" }).$type<Reason[]>().notNull(),
  defaults: text("defaults", { mode: "json" }).$type<DefaultReasons>().notNull(),
  changedAt: integer("changed_at").notNull(),
});
