import { asc, desc, isNull } from "drizzle-orm";
import type { Connection, Database } from "../../ground/platform/database.ts";
import { reportKeys } from "./report-keys.table.ts";

/** A key that signs reports, or has signed them. */
export type ReportKeyRow = typeof reportKeys.$inferSelect;

/** A key before it is stored. */
export type NewReportKey = Omit<ReportKeyRow, "replacedAt">;

const INSERT = "INSERT INTO report_keys (id, public_key, private_key, created_at) SELECT ?1, ?2, ?3, ?4";

/** The key that signs; undefined before the first report. */
export async function findSigningKey({ orm }: Pick<Database, "orm">): Promise<ReportKeyRow | undefined> {
  const [key] = await orm
    .select()
    .from(reportKeys)
    .where(isNull(reportKeys.replacedAt))
    .orderBy(desc(reportKeys.createdAt), asc(reportKeys.id))
    .limit(1);
  return key;
}

/** Stores the first key. If another request stored one at the same time, that key stays and this one is dropped. */
export async function insertFirstKey({ raw }: Pick<Database, "raw">, key: NewReportKey): Promise<void> {
  await statementOf(
    raw,
    `${INSERT} WHERE NOT EXISTS (SELECT 1 FROM report_keys WHERE replaced_at IS NULL)`,
    key,
  ).all();
}

/** Replaces the key that signs, in one transaction. @returns the ID of the replaced key; undefined if this is the first */
export async function replaceSigningKey(
  { raw }: Pick<Database, "raw">,
  key: NewReportKey,
): Promise<string | undefined> {
  const [replaced] = await raw.batch<{ id: string }>([
    raw
      .prepare("UPDATE report_keys SET replaced_at = ?1 WHERE replaced_at IS NULL RETURNING id")
      .bind(key.createdAt),
    statementOf(raw, INSERT, key),
  ]);
  return replaced?.results[0]?.id;
}

/** All keys without their private parts, newest first. `encryptedWith` is the ID of the key that encrypts the private part. */
export async function listReportKeys({
  raw,
}: Pick<Database, "raw">): Promise<(Omit<ReportKeyRow, "privateKey"> & { encryptedWith: string })[]> {
  const { results } = await raw
    .prepare(
      `SELECT id, public_key AS publicKey, created_at AS createdAt, replaced_at AS replacedAt,
         substr(private_key, 4, 8) AS encryptedWith
       FROM report_keys ORDER BY created_at DESC, id`,
    )
    .all<Omit<ReportKeyRow, "privateKey"> & { encryptedWith: string }>();
  return results;
}

function statementOf(
  connection: Connection,
  sql: string,
  { id, publicKey, privateKey, createdAt }: NewReportKey,
): D1PreparedStatement {
  return connection.prepare(sql).bind(id, publicKey, privateKey, createdAt);
}
