/** A table with rows of accounts, and how a move copies them. */
export interface MovedTable {
  readonly name: string;
  /** Whether rows replace what triggers have counted while others were copied. */
  readonly isCounted?: boolean;
  /** Whether rows may be added while the account is frozen. The sweeper forwards those that were too late. */
  readonly isNotFenced?: boolean;
  /** Columns that mean nothing in another database, and what they begin with there. */
  readonly begins?: Readonly<Record<string, number | null>>;
  /** Columns that may have up to two megabytes, so that fewer rows are read at once. */
  readonly largeColumns?: readonly string[];
}

/**
 * The tables with an account's rows, in the order in which they are copied. Triggers must add nothing to the copy: versions and reviews come
 * before the media that they would change, and events before the endpoints for which they would create deliveries. What triggers count
 * comes last and replaces their counts.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: "media_reviews" },
  { name: "media_revisions" },
  { name: "media" },
  { name: "batch_files" },
  { name: "masking_options", largeColumns: ["options"] },
  { name: "media_detections", largeColumns: ["detections"] },
  { name: "media_verifications", largeColumns: ["findings", "draft"] },
  { name: "media_models" },
  { name: "media_sound", largeColumns: ["speech", "muted"] },
  { name: "review_notes" },
  { name: "object_purges" },
  { name: "resumable_uploads" },
  { name: "idempotency_keys" },
  { name: "video_tasks" },
  { name: "events" },
  { name: "webhook_endpoints" },
  { name: "webhook_deliveries" },
  { name: "webhook_attempts" },
  { name: "deletion_records" },
  { name: "name_rules" },
  { name: "review_rules" },
  { name: "account_reasons" },
  { name: "audit_entries", isNotFenced: true },
  { name: "dead_letters", isNotFenced: true },
  { name: "usage", isCounted: true },
  { name: "usage_days", isCounted: true },
  { name: "media_counts", isCounted: true },
  {
    name: "account_turns",
    isCounted: true,
    // Turns are times of one database's own clock of work.
    begins: { start_tag: 0, finish_tag: 0, lease_id: null, resent_at: null },
  },
];

/** Tables with an `account_id` that a move leaves where they are: people and keys are in the main database, and so is the directory. */
export const KEPT_TABLES: readonly string[] = [
  "api_keys",
  "memberships",
  "invitations",
  "account_locations",
  "frozen_accounts",
];

/** The totals that other statements sum over all accounts, so that they must not stay behind. */
export const TOTALS: readonly MovedTable[] = MOVED_TABLES.filter(({ name }) =>
  ["media_counts", "account_turns"].includes(name),
);
