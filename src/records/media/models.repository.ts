import { and, asc, eq } from "drizzle-orm";
import type { ModelIdentity } from "../../ground/vocabulary/detection.schemas.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { MediaOwnership } from "./media.repository.ts";
import { mediaModels } from "./media.table.ts";

/** The statement that records which models analyzed a media item, if the item still exists. No statement if there are no models. */
export function addModels(
  { raw }: Database,
  { accountId, mediaId }: MediaOwnership,
  models: readonly ModelIdentity[],
): D1PreparedStatement[] {
  if (models.length === 0) return [];
  const statement = raw.prepare(
    `INSERT INTO media_models (media_id, account_id, model_id, version, sha256)
     SELECT media.id, media.account_id, model.value ->> '$.id', model.value ->> '$.version', model.value ->> '$.sha256'
     FROM media JOIN json_each(?3) AS model WHERE media.id = ?1 AND media.account_id = ?2
     ON CONFLICT DO NOTHING`,
  );
  return [statement.bind(mediaId, accountId, JSON.stringify(models))];
}

/** The statement that records, for a revision, the models of the analysis that it uses. The analyzed media may be deleted later. */
export function copyModels({ raw }: Database, { accountId, mediaId }: MediaOwnership): D1PreparedStatement {
  return raw
    .prepare(
      `INSERT INTO media_models (media_id, account_id, model_id, version, sha256)
       SELECT version.media_id, version.account_id, model.model_id, model.version, model.sha256
       FROM media_revisions AS version
       JOIN media ON media.id = version.media_id AND media.account_id = version.account_id
       JOIN media_models AS model ON model.media_id = version.analysis_media_id AND model.account_id = version.account_id
       WHERE version.media_id = ?1 AND version.account_id = ?2
       ON CONFLICT DO NOTHING`,
    )
    .bind(mediaId, accountId);
}

/** The models that analyzed a media item, sorted by name. */
export async function findModels(
  { orm }: Database,
  { accountId, mediaId }: MediaOwnership,
): Promise<ModelIdentity[]> {
  return await orm
    .select({ id: mediaModels.modelId, version: mediaModels.version, sha256: mediaModels.sha256 })
    .from(mediaModels)
    .where(and(eq(mediaModels.mediaId, mediaId), eq(mediaModels.accountId, accountId)))
    .orderBy(asc(mediaModels.modelId), asc(mediaModels.version), asc(mediaModels.sha256));
}
