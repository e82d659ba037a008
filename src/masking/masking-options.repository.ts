import { and, eq, sql } from "drizzle-orm";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { Database } from "../platform/database.ts";
import { DEFAULT_OPTIONS, type MaskingOptions } from "./masking-options.ts";
import { maskingOptions } from "./masking-options.table.ts";

/** The statement that keeps what an upload chose, once its media is queued: for the batch that queues it. */
export function keepOptions(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
  options: Partial<MaskingOptions>,
) {
  return orm.insert(maskingOptions).select(
    sql`SELECT id, account_id, ${JSON.stringify(options)} FROM media
      WHERE id = ${mediaId} AND account_id = ${accountId} AND status = 'queued'`,
  );
}

/** What was asked for with a media item beyond its categories and method. */
export async function findOptions(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<MaskingOptions> {
  const [row] = await orm
    .select({ options: maskingOptions.options })
    .from(maskingOptions)
    .where(and(eq(maskingOptions.mediaId, mediaId), eq(maskingOptions.accountId, accountId)))
    .limit(1);
  return { ...DEFAULT_OPTIONS, ...row?.options };
}
