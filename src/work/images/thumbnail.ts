import { outputKey, thumbnailKey } from "../../records/media/media.objects.ts";
import type { MediaOwnership, MediaRow } from "../../records/media/media.repository.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import type { Orientation } from "../../pixels/geometry/orientation.ts";
import { previewImage } from "../../pixels/redaction/index.ts";
import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";

/**
 * Makes a small version of a stored output and stores it beside it. It reads only the stored output, so it shows nothing that
 * the output does not. If another worker has replaced the output meanwhile, that worker makes the thumbnail. A media item is complete without one, so a failure is only logged.
 */
export async function storeThumbnail(
  config: ImageEnv,
  owned: MediaOwnership,
  picture: {
    readonly row: MediaRow;
    readonly format: ImageFormat;
    readonly orientation: Orientation;
    readonly sizeBytes: number;
  },
): Promise<void> {
  const { row, format, orientation, sizeBytes } = picture;
  const etags = new Set<string | undefined>();
  try {
    const bytes = await previewImage({
      open: async () => {
        const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(outputKey(owned)));
        if (object === null) throw new Error("The output is gone.");
        etags.add(object.etag);
        return object.body as ReadableStream<Uint8Array>;
      },
      format,
      sizeBytes,
      width: row.widthPixels,
      height: row.heightPixels,
      orientation,
    });
    if (bytes === undefined) return;
    const current = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.head(outputKey(owned)));
    etags.add(current?.etag);
    if (etags.size !== 1) return;
    await withRetry(STORAGE_RETRY, async () => await config.MEDIA.put(thumbnailKey(owned), bytes));
  } catch (error) {
    log("warn", "image_job.thumbnail_left_out", {
      requestId: row.requestId,
      mediaId: row.id,
      ...errorFields(error),
    });
  }
}
