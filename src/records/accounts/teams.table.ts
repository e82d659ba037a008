import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./accounts.table.ts";
import { users } from "./identity.table.ts";

/** The roles of a team: owners may do everything, members everything except managing keys, webhooks and the team. */
export const ROLES = ["owner", "member"] as const;
export type Role = (typeof ROLES)[number];

/** Who belongs to which account, and as what. */
export const memberships = sqliteTable(
  "memberships",
  {
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text("role", { enum: ROLES }).notNull(),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.userId] }),
    index("memberships_by_user").on(table.userId),
  ],
);

/** Invitations to an account, by link; the link's token is kept as its SHA-256. */
export const invitations = sqliteTable(
  "invitations",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id")
      .notNull()
      .references(() => accounts.id),
    email: text("email").notNull(),
    role: text("role", { enum: ROLES }).notNull(),
    tokenSha256: text("token_sha256").notNull().unique(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    acceptedAt: integer("accepted_at"),
    revokedAt: integer("revoked_at"),
  },
  (table) => [
    index("invitations_by_account").on(table.accountId, table.createdAt),
    index("invitations_by_email").on(table.email),
  ],
);
