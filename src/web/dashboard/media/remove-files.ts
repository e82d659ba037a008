import type { Deed } from "../../../records/audit/audit.repository.ts";
import { findCurrentIds, listOtherVersions } from "../../../records/media/media-browse.repository.ts";
import { removeMedia } from "../../../records/media/media.service.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { VeilError } from "../../../ground/platform/errors.ts";

/**
 * Deletes files with all their versions, given the ID of any version. Versions that somebody else has deleted meanwhile are skipped.
 *
 * @returns whether any of the files existed
 */
export async function removeFiles(config: ApiEnv, ids: readonly string[], deed: Deed): Promise<boolean> {
  const database = openDatabase(config.DB, "primary");
  const currentIds = await findCurrentIds(database, deed.accountId, ids);
  const others = await listOtherVersions(database, deed.accountId, currentIds);
  // The current version is deleted last, so that no other version becomes current meanwhile.
  for (const id of [...others.map((other) => other.id), ...currentIds]) await removeIfThere(config, id, deed);
  return currentIds.length > 0;
}

async function removeIfThere(config: ApiEnv, id: string, deed: Deed): Promise<void> {
  try {
    await removeMedia(config, id, deed);
  } catch (error) {
    if (!(error instanceof VeilError && error.code === "not_found")) throw error;
  }
}
