import { openDatabase, type Freshness } from "../../ground/platform/database.ts";
import { configOf, hasFurtherDatabases, type DatabaseBindings } from "../../ground/platform/databases.ts";
import { findLocation } from "./account-locations.repository.ts";

/** The configuration for an account's data: a service with one database reads nothing for it. */
export async function accountConfig<Config extends DatabaseBindings>(
  config: Config,
  accountId: string,
): Promise<Config> {
  if (!hasFurtherDatabases(config)) return config;
  return configOf(config, await findLocation(openDatabase(config.MAIN_DB, "primary"), accountId));
}

/**
 * How fresh a read must be that also says where an account is. With several databases it reads the primary: a replica that lags behind
 * would name the place that the account has just left.
 */
export function freshnessOfLocations(config: DatabaseBindings): Freshness {
  return hasFurtherDatabases(config) ? "primary" : "any";
}
