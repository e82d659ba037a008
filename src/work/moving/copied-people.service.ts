import { nowMs } from "../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { DatabaseBindings } from "../../ground/platform/databases.ts";
import { MAIN_DATABASE } from "../../ground/vocabulary/database-names.ts";
import {
  listUserCopies,
  readCopied,
  readUsers,
  writeCopied,
  writeUsers,
} from "./copied-people.repository.ts";

/**
 * Copies from the main database what the statements of another one join: its accounts with their plans, and the names of their keys,
 * invitations and people. The main database's rows count; copies are up to a minute old.
 *
 * @param alsoUserIds users to copy who are no members
 * @returns how many copies changed
 */
export async function copyPeople(
  config: DatabaseBindings,
  database: Database,
  alsoUserIds: readonly string[] = [],
): Promise<number> {
  const { DATABASE_NAME: name } = config;
  if (name === MAIN_DATABASE) return 0;
  const main = openDatabase(config.MAIN_DB, "primary");
  const written = await writeCopied(database, await readCopied(main, name));
  const copies = new Map((await listUserCopies(database)).map((copy) => [copy.id, copy]));
  const users = await readUsers(main, name, [...copies.keys(), ...alsoUserIds]);
  const kept = new Set(users.map(({ id }) => id));
  const goneIds = [...copies.keys()].filter((id) => !kept.has(id));
  const changed = users.filter((user) => {
    const copy = copies.get(user.id);
    return copy?.name !== user.name || copy.email !== user.email;
  });
  if (changed.length + goneIds.length > 0) await writeUsers(database, { changed, goneIds, nowMs: nowMs() });
  return written + changed.length + goneIds.length;
}
