import { requestedId } from "../../records/masking/detection-ids.ts";
import { findOrder } from "../../records/masking/masking-options.repository.ts";
import type { MaskingOptions } from "../../records/masking/masking-options.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { findRevisable, fromStored } from "./revisable.ts";
import type { RevisionOrder } from "./revision.schemas.ts";
import { makeRevision } from "./revision.service.ts";
import type { VersionAnswer, VersionRequest } from "./version.service.ts";

/**
 * Makes an older version of a file current again, by creating a new revision that hides the same with the same method.
 *
 * @throws VeilError 404, 409 when it cannot be revised, 422 when there are too many revisions
 */
export async function restoreVersion(request: VersionRequest): Promise<VersionAnswer> {
  const { config, owned } = request;
  const database = openDatabase(config.DB, "primary");
  const order = await fromStored(owned.mediaId, async () => await orderOf(config, database, owned));
  return await makeRevision({ ...request, order, isRestored: true });
}

/** The revision request that hides what a version hides. */
async function orderOf(config: ApiEnv, database: Database, owned: MediaOwnership): Promise<RevisionOrder> {
  const { row, found } = await findRevisable(config, database, owned);
  if (row.mediaType === "video") return videoOrder(owned, (await findOrder(database, owned)).options);
  const hidden = found.detections.filter(({ isOpen }) => isOpen !== true);
  return { redact: hidden.map(({ id }) => id), except: [], regions: [] };
}

/**
 * The choice of a video's version. It lists the hidden regions too, unless the version hides everything, because a new revision inherits
 * the regions.
 */
function videoOrder(
  owned: MediaOwnership,
  { choice = { redact: "all", except: [] }, regions }: MaskingOptions,
): RevisionOrder {
  const { redact, except } = choice;
  if (redact === "all") return { redact, except, regions: [] };
  const ids = regions.flatMap(({ id, isOpen }, index) =>
    isOpen === true ? [] : [id ?? requestedId(owned, index)],
  );
  return { redact: [...new Set([...(redact === "none" ? [] : redact), ...ids])], except, regions: [] };
}
