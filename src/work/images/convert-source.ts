import { openPicture, WRITERS } from "../../pixels/conversion/open-picture.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import type { ClaimedMedia } from "../../records/media/media-jobs.repository.ts";
import type { MediaOwnership, MediaRow } from "../../records/media/media.repository.ts";
import { openStoredSource, replaceSource } from "../../records/media/stored-source.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { RedactionError } from "../../pixels/redaction/index.ts";

/**
 * Replaces a source with its converted file, so that later steps handle neither the uploaded format nor anything else that the file held.
 * The stored file itself shows whether an earlier attempt converted it.
 *
 * @returns the size in bytes of the stored source
 * @throws RedactionError or JobError
 */
export async function convertSource(
  config: ImageEnv,
  database: Database,
  { claimed, row, source: owned }: { claimed: ClaimedMedia; row: MediaRow; source: MediaOwnership },
): Promise<number> {
  const { sourceFormat, format: target } = row;
  if (sourceFormat === null) return row.fileSizeBytes;
  if (target !== "jpeg" && target !== "png") throw new JobError("not_an_image", true);
  const source = await openStoredSource(config.MEDIA, owned, target);
  if (source.isConverted) return source.sizeBytes;
  const picture = await openPicture(sourceFormat, source);
  if (picture.width !== row.widthPixels || picture.height !== row.heightPixels)
    throw new RedactionError("undecodable", "The picture's size differs from its header.");
  return await replaceSource(config, database, { claimed, source: owned, chunks: WRITERS[target](picture) });
}
