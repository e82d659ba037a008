import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * Idempotency keys of uploads. While `responseBody` is null, the first request is still running and holds the key until
 * `lockedUntil`. `lockId` distinguishes a request that lost its lock from the one that took it over.
 */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    accountId: text("account_id").notNull(),
    key: text("key").notNull(),
    lockId: text("lock_id").notNull(),
    lockedUntil: integer("locked_until").notNull(),
    fingerprint: text("fingerprint"),
    responseBody: text("response_body"),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.key] }),
    index("idempotency_keys_by_expiry").on(table.expiresAt),
  ],
);
