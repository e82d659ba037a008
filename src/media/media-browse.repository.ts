import { and, desc, eq, inArray, like, or, sql } from "drizzle-orm";
import type { Database } from "../platform/database.ts";
import type { MediaRow } from "./media.repository.ts";
import type { MediaStatus } from "./media.states.ts";
import { media } from "./media.table.ts";
import type { MediaType } from "../vocabulary/media-values.ts";

/** Which media of an account a person looks for; `name` is a part of the file name, in any case. */
export interface BrowseFilter {
  readonly accountId: string;
  readonly status?: MediaStatus | undefined;
  readonly mediaType?: MediaType | undefined;
  readonly name?: string | undefined;
}

/** A page of the media that fit, newest first; one row more than `limit` when there are more pages. */
export async function browseMedia(
  database: Database,
  filter: BrowseFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<MediaRow[]> {
  return await database.orm
    .select()
    .from(media)
    .where(
      and(
        eq(media.accountId, filter.accountId),
        filter.status === undefined ? undefined : eq(media.status, filter.status),
        filter.mediaType === undefined ? undefined : eq(media.mediaType, filter.mediaType),
        filter.name === undefined
          ? undefined
          : or(like(media.filename, sql`${containing(filter.name)} ESCAPE '\\'`), eq(media.id, filter.name)),
      ),
    )
    .orderBy(desc(media.createdAt), desc(media.id))
    .limit(limit + 1)
    .offset(offset);
}

/** How long the latest completed media took from upload to completion, in milliseconds, at most `limit` of them. */
export async function latestLatencies(
  database: Database,
  accountId: string,
  limit: number,
): Promise<number[]> {
  const rows = await database.orm
    .select({ latencyMs: sql<number>`${media.processedAt} - ${media.createdAt}` })
    .from(media)
    .where(and(eq(media.accountId, accountId), inArray(media.status, ["completed"])))
    .orderBy(desc(media.createdAt), desc(media.id))
    .limit(limit);
  return rows.map(({ latencyMs }) => latencyMs);
}

/** A pattern of LIKE for texts that hold `part`, whose own wildcards stand for themselves. */
function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
