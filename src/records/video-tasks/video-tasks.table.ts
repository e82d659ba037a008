import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { media } from "../media/media.table.ts";

/**
 * The steps of a video's job after planning, in their order. The steps analyse, render and verify have one task per segment. Only
 * a video whose output is read again has the last two; any other is completed when it is assembled.
 */
export const TASK_KINDS = ["analyse", "link", "render", "assemble", "verify", "complete"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** `again`: done once, and to be repeated after the steps before it, because the second reading found something bare. */
const TASK_STATES = ["ready", "running", "done", "again"] as const;

/**
 * The open and finished tasks of the videos in processing. `segment` counts from 0; the other steps have only segment 0.
 * `attempts` counts the attempts at a task. The last one is part of the key of a finished task's results. `excusedAttempts` of
 * them failed only because the detector was away.
 */
export const videoTasks = sqliteTable(
  "video_tasks",
  {
    mediaId: text("media_id")
      .notNull()
      .references(() => media.id, { onDelete: "cascade" }),
    accountId: text("account_id").notNull(),
    kind: text("kind", { enum: TASK_KINDS }).notNull(),
    segment: integer("segment").notNull(),
    state: text("state", { enum: TASK_STATES }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    excusedAttempts: integer("excused_attempts").notNull().default(0),
    leaseId: text("lease_id"),
    leaseExpiresAt: integer("lease_expires_at"),
    availableAt: integer("available_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.mediaId, table.kind, table.segment] }),
    index("video_tasks_ready")
      .on(table.mediaId, table.segment, table.availableAt)
      .where(sql`state = 'ready'`),
    index("video_tasks_held")
      .on(table.leaseId)
      .where(sql`state = 'running'`),
  ],
);
