import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { outputKey, sourceKey } from "../../records/media/media.objects.ts";
import { JobError } from "../../ground/platform/job-error.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { freeBuffer } from "../../ground/platform/buffers.ts";
import { STORAGE_RETRY, withRetry, type RetryPolicy } from "../../ground/platform/retry.ts";
import { streamOf } from "../../pixels/redaction/bytes/byte-source.ts";
import type { ImageFormat } from "../../ground/vocabulary/media-values.ts";
import { WatchedReads, type OpenedSource } from "./watched-reads.ts";

const CHUNK_BYTES = 64 * 1024;

const READ_RETRY: RetryPolicy = {
  ...STORAGE_RETRY,
  isTransient: (error) => !(error instanceof JobError) || error.code === "source_unreadable",
};

type Bytes = Uint8Array<ArrayBuffer>;
type HoldingEnv = Pick<ImageEnv, "MEDIA" | "HELD_PHOTO_BYTES">;

/** A stored photo. Each reading opens it from its first byte. A small one is read from storage once and held in memory. */
export class StoredPhoto {
  readonly format: ImageFormat;
  readonly reads: WatchedReads;
  readonly open = async (): Promise<ReadableStream<Uint8Array>> => await this.reads.open();
  readonly #get: () => Promise<R2ObjectBody>;
  readonly #heldBytes: number;
  /** What the first reading got: the bytes of a small file, or the object of a large one, whose body serves that reading alone. */
  #first: Promise<Bytes | R2ObjectBody> | undefined;

  /** @param missing the error if the object is gone */
  constructor(
    config: HoldingEnv,
    { key, format, missing }: { key: string; format: ImageFormat; missing: () => JobError },
  ) {
    this.format = format;
    this.#heldBytes = config.HELD_PHOTO_BYTES;
    this.#get = async () => {
      const object = await config.MEDIA.get(key);
      if (object === null) throw missing();
      return object;
    };
    this.reads = new WatchedReads(async () => await this.openFile());
  }

  /** Opens the stored file. @throws JobError if it is gone, or the error of storage */
  async openFile(): Promise<OpenedSource> {
    const isFirst = this.#first === undefined;
    this.#first ??= withRetry(READ_RETRY, async () => await this.#getFirst());
    const first = await this.#first.catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    });
    if (first instanceof Uint8Array) return { body: streamOf(copiesOf(first)), sizeBytes: first.length };
    const object = isFirst ? first : await withRetry(READ_RETRY, this.#get);
    return { body: object.body as ReadableStream<Uint8Array>, sizeBytes: object.size };
  }

  /** Frees what is held in memory. */
  async close(): Promise<void> {
    const first = await this.#first?.catch(() => undefined);
    if (first instanceof Uint8Array) freeBuffer(first);
    this.#first = undefined;
  }

  async #getFirst(): Promise<Bytes | R2ObjectBody> {
    const object = await this.#get();
    if (object.size > this.#heldBytes) return object;
    return await bytesOf(object).catch((cause: unknown) => {
      throw new JobError("source_unreadable", false, cause);
    });
  }
}

/** The stored source of a photo. */
export function storedSource(config: HoldingEnv, owned: MediaOwnership, format: ImageFormat): StoredPhoto {
  return new StoredPhoto(config, { key: sourceKey(owned), format, missing: sourceMissing });
}

/** The stored output of a photo. If it is gone, another attempt makes it again. */
export function storedOutput(config: HoldingEnv, owned: MediaOwnership, format: ImageFormat): StoredPhoto {
  return new StoredPhoto(config, { key: outputKey(owned), format, missing: outputMissing });
}

/** Runs `work` on a stored photo and then frees its memory. */
export async function withPhoto<T>(photo: StoredPhoto, work: (photo: StoredPhoto) => Promise<T>): Promise<T> {
  try {
    return await work(photo);
  } finally {
    await photo.close();
  }
}

async function bytesOf({ body, size }: R2ObjectBody): Promise<Bytes> {
  const bytes = new Uint8Array(size);
  let readBytes = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    bytes.set(chunk, readBytes);
    readBytes += chunk.length;
  }
  if (readBytes < size) throw new Error("The stored file ended early.");
  return bytes;
}

/** Copies of the bytes, chunk by chunk, so that a reader may keep or transfer them. */
async function* copiesOf(bytes: Bytes): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.slice(at, at + CHUNK_BYTES);
}

function sourceMissing(): JobError {
  return new JobError("source_missing", true);
}

function outputMissing(): JobError {
  return new JobError("superseded", false);
}
