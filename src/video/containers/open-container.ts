import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM } from "mediabunny";
import { PagedReader } from "./paged-reader.ts";
import type { RangeReader } from "./stored-ranges.ts";

/** A stored MP4, QuickTime, WebM or Matroska file; reads what is asked for and holds a few megabytes of it until it rests or is disposed. */
export class StoredContainer extends Input {
  readonly #pages: PagedReader;

  constructor(read: RangeReader, sizeBytes: number) {
    const pages = new PagedReader(read, sizeBytes);
    super({
      formats: [MP4, QTFF, WEBM, MATROSKA],
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
    this.#pages = pages;
  }

  /** Waits for reads that are under way, and frees what was read; more can be read later. */
  async rest(): Promise<void> {
    await this.#pages.idle();
    this.#pages.close();
  }
}

/** Opens a stored file. */
export function openContainer(read: RangeReader, sizeBytes: number): StoredContainer {
  return new StoredContainer(read, sizeBytes);
}
