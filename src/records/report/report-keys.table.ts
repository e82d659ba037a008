import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The Ed25519 keys that sign reports. Their public parts are served to anyone. A replaced key stays, so that reports that it has
 * signed can be verified.
 *
 * `id` is the key's JWK thumbprint (RFC 7638). `publicKey` is the parameter `x` of its JWK. `privateKey` is the parameter `d`,
 * encrypted as webhook secrets are. `replacedAt` is null for the key that signs.
 */
export const reportKeys = sqliteTable("report_keys", {
  id: text("id").primaryKey(),
  publicKey: text("public_key").notNull(),
  privateKey: text("private_key").notNull(),
  createdAt: integer("created_at").notNull(),
  replacedAt: integer("replaced_at"),
});
