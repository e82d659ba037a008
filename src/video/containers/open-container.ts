import { CustomSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";
import { PagedReader } from "./paged-reader.ts";

/** Reads a byte range of a stored file: from `start` up to but without `end`. The caller may free what it gets. */
export type RangeReader = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>;

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

/** A stored MP4, QuickTime or WebM file; reads what is asked for and holds a few megabytes of it until it rests or is disposed. */
export class StoredContainer extends Input {
  private readonly pages: PagedReader;

  constructor(read: RangeReader, sizeBytes: number) {
    const pages = new PagedReader(read, sizeBytes);
    super({
      formats: [MP4, QTFF, WEBM],
      source: new CustomSource({
        getSize: () => sizeBytes,
        read: (start, end) => pages.range(start, end),
        dispose: () => {
          pages.close();
        },
        // Pages are held once.
        maxCacheSize: 0,
        prefetchProfile: "none",
        handleUnhandledError: () => undefined,
      }),
    });
    this.pages = pages;
  }

  /** Waits for reads that are under way, and frees what was read; more can be read later. */
  async rest(): Promise<void> {
    await this.pages.idle();
    this.pages.close();
  }
}

/** Opens a stored file. */
export function openContainer(read: RangeReader, sizeBytes: number): StoredContainer {
  return new StoredContainer(read, sizeBytes);
}
