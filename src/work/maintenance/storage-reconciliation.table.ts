import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

const FINDING_KINDS = ["object_without_record", "record_without_object"] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Nightly comparisons of the bucket with the records; `cursor` is the last object key that was compared. */
export const reconciliations = sqliteTable(
  "reconciliations",
  {
    id: text("id").primaryKey(),
    startedAt: integer("started_at").notNull(),
    finishedAt: integer("finished_at"),
    cursor: text("cursor").notNull(),
    objectsChecked: integer("objects_checked").notNull().default(0),
    bytesChecked: integer("bytes_checked").notNull().default(0),
    recordsChecked: integer("records_checked").notNull().default(0),
    objectsWithoutRecord: integer("objects_without_record").notNull().default(0),
    recordsWithoutObject: integer("records_without_object").notNull().default(0),
  },
  (table) => [index("reconciliations_by_time").on(table.startedAt)],
);

/** The findings of a reconciliation, by the key of the orphaned or missing object. */
export const reconciliationFindings = sqliteTable(
  "reconciliation_findings",
  {
    reconciliationId: text("reconciliation_id")
      .notNull()
      .references(() => reconciliations.id, { onDelete: "cascade" }),
    objectKey: text("object_key").notNull(),
    kind: text("kind", { enum: FINDING_KINDS }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.reconciliationId, table.objectKey] })],
);
