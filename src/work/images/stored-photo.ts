import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { outputKey, sourceKey } from "../../records/media/media.objects.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";
import { WatchedReads } from "./watched-reads.ts";

/** A stored photo. Each reading opens it again. */
export class StoredPhoto {
  readonly format: ImageFormat;
  readonly reads: WatchedReads;
  readonly openObject: () => Promise<R2ObjectBody>;
  readonly open = async (): Promise<ReadableStream<Uint8Array>> => await this.reads.open();

  /** @param missing the error if the object is gone */
  constructor(
    config: Pick<ImageEnv, "MEDIA">,
    { key, format, missing }: { key: string; format: ImageFormat; missing: () => JobError },
  ) {
    this.format = format;
    this.openObject = async () => {
      const object = await withRetry(STORAGE_RETRY, async () => await config.MEDIA.get(key));
      if (object === null) throw missing();
      return object;
    };
    this.reads = new WatchedReads(async () => {
      const object = await this.openObject();
      return { body: object.body as ReadableStream<Uint8Array>, sizeBytes: object.size };
    });
  }
}

/** The stored source of a photo. */
export function storedSource(
  config: Pick<ImageEnv, "MEDIA">,
  owned: MediaOwnership,
  format: ImageFormat,
): StoredPhoto {
  return new StoredPhoto(config, { key: sourceKey(owned), format, missing: sourceMissing });
}

/** The stored output of a photo. If it is gone, another attempt makes it again. */
export function storedOutput(
  config: Pick<ImageEnv, "MEDIA">,
  owned: MediaOwnership,
  format: ImageFormat,
): StoredPhoto {
  return new StoredPhoto(config, { key: outputKey(owned), format, missing: outputMissing });
}

function sourceMissing(): JobError {
  return new JobError("source_missing", true);
}

function outputMissing(): JobError {
  return new JobError("superseded", false);
}
