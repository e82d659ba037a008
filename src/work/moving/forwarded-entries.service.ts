import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { hasFurtherDatabases, type DatabaseBindings } from "../../ground/platform/databases.ts";
import { accountConfig } from "../../records/directory/account-database.ts";
import { deleteForwarded, findForwardable, insertForwarded } from "./forwarded-entries.repository.ts";

const MOST_ENTRIES = 500;

/** Moves entries of the audit trail to the databases of their accounts. Safe to repeat. @returns how many */
export async function forwardEntries(config: DatabaseBindings, database: Database): Promise<number> {
  if (!hasFurtherDatabases(config)) return 0;
  const byAccount = Map.groupBy(await findForwardable(database, MOST_ENTRIES), (entry) => entry.account_id);
  let forwarded = 0;
  for (const [accountId, entries] of byAccount) {
    const { DB } = await accountConfig(config, accountId);
    if (DB === config.DB) continue;
    await insertForwarded(openDatabase(DB, "primary"), entries);
    await deleteForwarded(
      database,
      entries.map(({ id }) => id),
    );
    forwarded += entries.length;
  }
  return forwarded;
}
