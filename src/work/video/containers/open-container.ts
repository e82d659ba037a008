import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM } from "mediabunny";
import { aviMovie } from "./avi-movie.ts";
import { containerKind, type ContainerKind } from "./container-kind.ts";
import { PagedReader } from "./paged-reader.ts";
import type { RangeReader } from "./stored-ranges.ts";

/**
 * A stored MP4, QuickTime, WebM or Matroska file. It reads only the requested ranges, and holds a few megabytes of them until
 * `rest` or `dispose`.
 */
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
        // The paged reader is the only cache.
        maxCacheSize: 0,
        prefetchProfile: "none",
        handleUnhandledError: () => undefined,
      }),
    });
    this.#pages = pages;
  }

  /**
   * Waits for pending reads and frees the bytes that they returned. The file can be read again later, even by another invocation. No
   * read may stay pending, because workerd never settles the reads of an invocation that has ended, and later reads would wait for them.
   */
  async rest(): Promise<void> {
    await this.#pages.idle();
    this.#pages.close();
  }
}

/** A stored file that is open for reading, and its container format. An AVI is read as the MP4 that is built from its index. */
export interface OpenSource {
  readonly kind: ContainerKind;
  readonly container: StoredContainer;
  readonly read: RangeReader;
  readonly sizeBytes: number;
}

/** Opens a stored file. @throws ContainerError for an AVI that cannot be read, StorageReadError */
export async function openSource(stored: RangeReader, storedBytes: number): Promise<OpenSource> {
  const kind = await containerKind(stored, storedBytes);
  const { read, sizeBytes } =
    kind === "avi" ? await aviMovie(stored, storedBytes) : { read: stored, sizeBytes: storedBytes };
  return { kind, read, sizeBytes, container: new StoredContainer(read, sizeBytes) };
}
