import { eq } from "drizzle-orm";
import { DAY_MS } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { signHex } from "../../ground/platform/hmac.ts";
import { randomToken } from "../../ground/platform/ids.ts";
import { prepareEntry, type Deed } from "./audit.repository.ts";
import { nameRules } from "./audit.table.ts";

/** How an account's audit trail stores the names of deleted files. */
export type NameRules = Pick<typeof nameRules.$inferSelect, "nameKey" | "keepsNames" | "nameDays">;

/** An account's rules. An account without rules gets a key and the defaults. */
export async function findNameRules({ orm }: Database, accountId: string): Promise<NameRules> {
  const { nameKey, keepsNames, nameDays } = nameRules;
  const [, [row]] = await orm.batch([
    orm.insert(nameRules).values({ accountId, nameKey: randomToken() }).onConflictDoNothing(),
    orm.select({ nameKey, keepsNames, nameDays }).from(nameRules).where(eq(nameRules.accountId, accountId)),
  ]);
  if (row === undefined) throw new Error("The rules for names were not stored.");
  return row;
}

/** Whether an account keeps names of deleted files in plain text. Reads alone, for pages. */
export async function keepsFileNames({ orm }: Database, accountId: string): Promise<boolean> {
  const [row] = await orm
    .select({ keepsNames: nameRules.keepsNames })
    .from(nameRules)
    .where(eq(nameRules.accountId, accountId));
  return row?.keepsNames === true;
}

/** The HMAC-SHA256 of a file name in lowercase hex. Whoever knows the name can verify it, but nobody can read the name from it. */
export async function digestOfName({ nameKey }: Pick<NameRules, "nameKey">, name: string): Promise<string> {
  // File systems encode the same name in several ways.
  return await signHex(nameKey, new TextEncoder().encode(name.normalize("NFC")));
}

/**
 * Sets whether and how long names are stored in plain text. Already stored names are deleted at once, or as early as the new
 * rules say.
 */
export async function saveNameRules(
  database: Database,
  { keepsNames, nameDays }: Pick<NameRules, "keepsNames" | "nameDays">,
  deed: Deed,
): Promise<void> {
  const { accountId, nowMs } = deed;
  const detail = keepsNames ? `names in clear for ${nameDays} days` : "digests alone";
  await database.raw.batch([
    database.raw
      .prepare(
        `INSERT INTO name_rules (account_id, name_key, keeps_names, name_days, changed_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (account_id) DO UPDATE SET keeps_names = ?3, name_days = ?4, changed_at = ?5`,
      )
      .bind(accountId, randomToken(), keepsNames ? 1 : 0, nameDays, nowMs),
    prepareEntry(database, deed, { kind: "name_rules.changed", subjectId: accountId, detail }),
    database.raw
      .prepare(
        keepsNames
          ? `UPDATE deletion_records SET name_until = deleted_at + ?2 WHERE account_id = ?1 AND name IS NOT NULL`
          : `UPDATE deletion_records SET name = NULL, name_until = NULL WHERE account_id = ?1 AND name IS NOT NULL AND ?2 > 0`,
      )
      .bind(accountId, nameDays * DAY_MS),
  ]);
}
