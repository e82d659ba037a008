import { and, eq, sql } from "drizzle-orm";
import { readStoredJson } from "../../ground/platform/stored-data.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import { media, mediaRevisions } from "../media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ReasonList } from "./reasons.schemas.ts";
import { DEFAULT_OPTIONS, type MaskingOptions } from "./masking-options.ts";
import { maskingOptions, accountReasons } from "./masking.table.ts";
import { storedOptionsSchema } from "./stored-masking.schemas.ts";

/** The statement that stores an upload's options if its media is queued. It belongs in the batch that queues the media. */
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

/** What a media item requests beyond its categories and method, and the media that provide its source and analysis. */
export interface MaskingOrder {
  readonly options: MaskingOptions;
  /** The media whose source is used: the media itself, unless it is a later version of a file. */
  readonly source: MediaOwnership;
  /** The media whose analysis is used: the media itself, unless it is a revision. */
  readonly analysis: MediaOwnership;
  readonly isRevision: boolean;
  /** The account's reasons now. */
  readonly reasons: ReasonList;
}

/** The options of an upload. */
export interface UploadOptions extends MaskingOptions {
  /** Whether its regions were read. False if they were too long. */
  readonly hasRegions: boolean;
}

/** Reads what a media item's job must do. @throws StoredDataError */
export async function findOrder(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<MaskingOrder> {
  const [row] = await orm
    .select({
      options: sql<string | null>`${maskingOptions.options}`,
      firstMediaId: mediaRevisions.firstMediaId,
      analysisMediaId: mediaRevisions.analysisMediaId,
      reasons: accountReasons.reasons,
      defaults: accountReasons.defaults,
    })
    .from(media)
    .leftJoin(maskingOptions, eq(maskingOptions.mediaId, media.id))
    .leftJoin(mediaRevisions, eq(mediaRevisions.mediaId, media.id))
    .leftJoin(accountReasons, eq(accountReasons.accountId, media.accountId))
    .where(and(eq(media.id, mediaId), eq(media.accountId, accountId)))
    .limit(1);
  const analysisMediaId = row?.analysisMediaId ?? null;
  const chosen = row?.options ?? undefined;
  return {
    options: { ...DEFAULT_OPTIONS, ...(chosen && readStoredJson(storedOptionsSchema, chosen)) },
    source: { accountId, mediaId: row?.firstMediaId ?? mediaId },
    analysis: { accountId, mediaId: analysisMediaId ?? mediaId },
    isRevision: analysisMediaId !== null,
    reasons: { reasons: row?.reasons ?? [], defaults: row?.defaults ?? {} },
  };
}

/**
 * The options of an account's uploads by media ID, including defaults. Retries have the options of their upload. Revisions have
 * no options of their own and are absent, as are media of other accounts.
 */
export async function findUploadOptions(
  { raw }: Database,
  { accountId, mediaIds }: { readonly accountId: string; readonly mediaIds: readonly string[] },
  { maxCharacters = Number.MAX_SAFE_INTEGER }: { readonly maxCharacters?: number | undefined },
): Promise<Map<string, UploadOptions>> {
  const { results } = await raw
    .prepare(
      `SELECT media.id AS mediaId, length(options) <= ?3 AS hasRegions,
         CASE WHEN length(options) <= ?3 THEN options
              ELSE json_remove(options, '$.regions', '$.ignoreRegions') END AS options
       FROM media LEFT JOIN masking_options ON masking_options.media_id = media.id
       WHERE media.account_id = ?1 AND media.id IN (SELECT value FROM json_each(?2))
         AND NOT EXISTS (SELECT 1 FROM media_revisions
           WHERE media_revisions.media_id = media.id AND analysis_media_id IS NOT NULL)`,
    )
    .bind(accountId, JSON.stringify(mediaIds), maxCharacters)
    .all<{ mediaId: string; hasRegions: number | null; options: string | null }>();
  return new Map(
    results.map(({ mediaId, hasRegions, options }) => [
      mediaId,
      {
        ...DEFAULT_OPTIONS,
        ...(options !== null && readStoredJson(storedOptionsSchema, options)),
        hasRegions: hasRegions !== 0,
      },
    ]),
  );
}
