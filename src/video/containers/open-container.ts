import { CustomSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";

const CACHE_BYTES = 4 * 1024 * 1024;

/** Reads a byte range of a stored file: from `start` up to but without `end`. */
export type RangeReader = (start: number, end: number) => Promise<Uint8Array>;

/** Why a stored file could not be read, which may pass. */
export class StorageReadError extends Error {
  override readonly name = "StorageReadError";
}

/** A reader of ranges of an object in R2. @throws StorageReadError when the object is gone or cannot be read */
export function objectRanges(bucket: R2Bucket, key: string): RangeReader {
  return async (start, end) => {
    try {
      return await withRetry(STORAGE_RETRY, async () => {
        const object = await bucket.get(key, { range: { offset: start, length: end - start } });
        if (object === null) throw new Error("The object is gone.");
        return new Uint8Array(await object.arrayBuffer());
      });
    } catch (cause) {
      throw new StorageReadError("The file could not be read from storage.", { cause });
    }
  };
}

/** Opens a stored MP4, QuickTime or WebM file; reads what is asked for and keeps a few megabytes of it. */
export function openContainer(read: RangeReader, sizeBytes: number): Input {
  return new Input({
    formats: [MP4, QTFF, WEBM],
    source: new CustomSource({
      getSize: () => sizeBytes,
      read: async (start, end) => await read(start, end),
      maxCacheSize: CACHE_BYTES,
      prefetchProfile: "network",
      handleUnhandledError: () => undefined,
    }),
  });
}
