/** The bindings of the databases that may hold accounts: the main one, and further ones where a service has outgrown it. */
export const DATABASE_NAMES = ["DB", "DB_2", "DB_3", "DB_4", "DB_5", "DB_6", "DB_7", "DB_8"] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];
export const MAIN_DATABASE = "DB" satisfies DatabaseName;
