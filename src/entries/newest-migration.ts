/** The last file in `migrations/`. A database without it is older than this code, and `/healthz` says so. */
export const NEWEST_MIGRATION = "0011_frozen_accounts.sql";
