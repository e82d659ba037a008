import { eq } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import type { DatabaseName } from "../../ground/vocabulary/database-names.ts";
import { accountLocations } from "./directory.table.ts";

/** The column that says where an account's data is, for a query that joins the directory. Null for the main database. */
export const locationColumn = { databaseName: accountLocations.databaseName };

/** Where an account's data is, as the main database says. Undefined for the main database itself. */
export async function findLocation({ orm }: Database, accountId: string): Promise<DatabaseName | undefined> {
  const [found] = await orm
    .select(locationColumn)
    .from(accountLocations)
    .where(eq(accountLocations.accountId, accountId))
    .limit(1);
  return found?.databaseName;
}
