import {
  listDeletions,
  type DeletionFilter,
  type DeletionPosition,
  type DeletionRow,
} from "./deletions.repository.ts";
import { digestOfName, findNameRules } from "../audit/name-rules.repository.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { findLeftovers } from "./leftovers.repository.ts";
import { countObjects } from "../media/media.objects.ts";
import type { MediaOwnership } from "../media/media.repository.ts";

/** The most deletions in one response. Each needs one storage request. */
export const MOST_DELETIONS = 100;
/** Concurrent storage requests (Cloudflare Workers: six connections at a time). */
const AT_ONCE = 6;

/** A deletion, with the result of a check made just now. */
export interface ProvenDeletion extends DeletionRow {
  /** Objects of the media item in storage, of any kind. */
  readonly objectsLeft: number;
  /** Database rows that hold data of the media item. */
  readonly rowsLeft: number;
  /** When its objects are deleted again, in case a job that was running during the deletion wrote any. Null once that is done. */
  readonly purgeAgainAt: number | null;
}

/** Which deletions to list. Files are selected by their name. */
export type DeletionQuestion = Omit<DeletionFilter, "nameDigest"> & {
  readonly fileName?: string | undefined;
};

/**
 * Lists an account's deletions, newest first. For each one, checks storage and the database for remaining data of its media
 * item.
 *
 * @returns one page of deletions, and the position of the next page
 */
export async function proveDeletions(
  config: Pick<ApiEnv, "DB" | "MEDIA">,
  { fileName, ...filter }: DeletionQuestion,
  { after, limit }: { after?: DeletionPosition | undefined; limit: number },
): Promise<{ readonly deletions: readonly ProvenDeletion[]; readonly next: DeletionPosition | undefined }> {
  const database = openDatabase(config.DB, "primary");
  const { accountId } = filter;
  const nameDigest =
    fileName === undefined
      ? undefined
      : await digestOfName(await findNameRules(database, accountId), fileName);
  const rows = await listDeletions(database, { ...filter, nameDigest }, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const ids = shown.map(({ mediaId }) => mediaId);
  const leftovers = await findLeftovers(database, accountId, ids);
  const deletions: ProvenDeletion[] = [];
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const step = shown.slice(at, at + AT_ONCE);
    const counts = await Promise.all(
      step.map(async ({ mediaId }) => await objectsOf(config, { accountId, mediaId })),
    );
    for (const [index, row] of step.entries()) {
      const { rows: rowsLeft = 0, purgeAgainAt = null } = leftovers.get(row.mediaId) ?? {};
      deletions.push({ ...row, objectsLeft: counts[index] ?? 0, rowsLeft, purgeAgainAt });
    }
  }
  const last = rows.length > limit ? deletions.at(-1) : undefined;
  return { deletions, next: last && { deletedAt: last.deletedAt, mediaId: last.mediaId } };
}

async function objectsOf({ MEDIA }: Pick<ApiEnv, "MEDIA">, owned: MediaOwnership): Promise<number> {
  return await withRetry(STORAGE_RETRY, async () => await countObjects(MEDIA, owned));
}
