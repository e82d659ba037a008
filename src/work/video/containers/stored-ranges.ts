import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";

/** Reads the byte range of a stored file from `start` to `end`, which is exclusive. The caller may free the result. */
export type RangeReader = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>;

/** A stored file could not be read. The cause may be temporary. */
export class StorageReadError extends Error {
  override readonly name = "StorageReadError";
}

/** Returns a range reader for an object in R2. @throws StorageReadError when the object is gone or cannot be read */
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
