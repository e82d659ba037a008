import { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM } from "mediabunny";
import { aviMovie } from "./avi-movie.ts";
import { containerKind, type ContainerKind } from "./container-kind.ts";
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

/** A stored file as it is read, with what it is. An AVI is read as the MP4 that its index makes of it. */
export interface OpenSource {
  readonly kind: ContainerKind;
  readonly container: StoredContainer;
  readonly read: RangeReader;
  readonly sizeBytes: number;
}

/** Opens a stored file. @throws ContainerError when it is an AVI that cannot be read, StorageReadError */
export async function openSource(stored: RangeReader, storedBytes: number): Promise<OpenSource> {
  const kind = await containerKind(stored, storedBytes);
  const { read, sizeBytes } =
    kind === "avi" ? await aviMovie(stored, storedBytes) : { read: stored, sizeBytes: storedBytes };
  return { kind, read, sizeBytes, container: new StoredContainer(read, sizeBytes) };
}
