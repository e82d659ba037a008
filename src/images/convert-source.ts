import { openPicture, WRITERS } from "../conversion/open-picture.ts";
import { JobError } from "../jobs/job-error.ts";
import type { ClaimedMedia } from "../media/media-jobs.repository.ts";
import type { MediaOwnership, MediaRow } from "../media/media.repository.ts";
import { openStoredSource, replaceSource } from "../media/stored-source.ts";
import type { Database } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { RedactionError } from "../redaction/index.ts";

/**
 * Puts what a source is converted to in its place, so that nothing after it knows the format that was uploaded, nor anything
 * that the file held beside its picture. The stored file itself says whether an earlier try has done so.
 *
 * @returns the size of the source in bytes as it is stored now
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
