import { freeBuffer } from "../../platform/buffers.ts";
import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";
import { sourceKey } from "../../media/media.objects.ts";
import type { MediaOwnership } from "../../media/media.repository.ts";

/** What is stored of a video only until it has ended lies under this prefix. */
function workPrefix(owned: MediaOwnership): string {
  return `${sourceKey(owned).slice(0, -"source".length)}work/`;
}

/** Where a step keeps what it makes: a taking of a task has a place of its own, so two that overlap never mix. */
export function workKey(owned: MediaOwnership, name: string): string {
  return `${workPrefix(owned)}${name}`;
}

/** Name of what one taking of a segment's task stored. */
export function segmentName(kind: "analyse" | "render", segment: number, attempts: number): string {
  return `${kind}-${segment}-${attempts}`;
}

/** Deletes everything that was stored of a video only until it ended. Safe to repeat. */
export async function deleteWork(bucket: R2Bucket, owned: MediaOwnership): Promise<void> {
  for (;;) {
    const page = await bucket.list({ prefix: workPrefix(owned), limit: 1000 });
    if (page.objects.length > 0) await bucket.delete(page.objects.map((object) => object.key));
    if (!page.truncated) return;
  }
}

/**
 * Deletes what takings of a segment's analysis stored, but for what is kept under a name; of very much the rest goes when the
 * video has ended. Safe to repeat.
 */
export async function deleteAnalysis(
  bucket: R2Bucket,
  owned: MediaOwnership,
  { segment, keptName }: { segment: number; keptName: string },
): Promise<void> {
  const { objects } = await bucket.list({ prefix: workKey(owned, `analyse-${segment}-`), limit: 1000 });
  const keys = objects.map(({ key }) => key).filter((key) => !key.includes(`/${keptName}.`));
  if (keys.length > 0) await bucket.delete(keys);
}

/** Stores a value as JSON. */
export async function putJson(bucket: R2Bucket, key: string, value: unknown): Promise<void> {
  await withRetry(STORAGE_RETRY, async () => await bucket.put(key, JSON.stringify(value)));
}

/** Reads JSON that was stored by `putJson`. Throws when it is gone. */
export async function getJson(bucket: R2Bucket, key: string): Promise<unknown> {
  return await withRetry(STORAGE_RETRY, async () => {
    const object = await bucket.get(key);
    if (object === null) throw new Error("What an earlier step stored is gone.");
    return await object.json();
  });
}

/** Bytes of one object of a row of objects. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** What little is written takes little memory: room grows by doubling. */
const FIRST_ROOM_BYTES = 64 * 1024;

/**
 * Writes bytes of unknown length as a row of numbered objects, holding one of them. Unlike a multipart upload it leaves nothing
 * behind that a listing does not show.
 */
export class PieceWriter {
  private readonly bucket: R2Bucket;
  private readonly key: string;
  private piece = new Uint8Array(FIRST_ROOM_BYTES);
  private filledBytes = 0;
  private pieces = 0;

  constructor(bucket: R2Bucket, key: string) {
    this.bucket = bucket;
    this.key = key;
  }

  /** Takes the next bytes; returns once they may be overwritten. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.filledBytes === PIECE_BYTES) await this.store();
      const part = chunk.subarray(at, at + PIECE_BYTES - this.filledBytes);
      this.makeRoom(this.filledBytes + part.length);
      this.piece.set(part, this.filledBytes);
      this.filledBytes += part.length;
      at += part.length;
    }
  }

  /** Stores what is left. Nothing can be written any more. */
  async finish(): Promise<void> {
    if (this.filledBytes > 0) await this.store();
    freeBuffer(this.piece);
  }

  private makeRoom(neededBytes: number): void {
    let roomBytes = this.piece.length;
    while (roomBytes < neededBytes) roomBytes *= 2;
    if (roomBytes === this.piece.length) return;
    this.piece = new Uint8Array(this.piece.buffer.transfer(roomBytes));
  }

  private async store(): Promise<void> {
    const body = this.piece.subarray(0, this.filledBytes);
    const key = pieceKey(this.key, this.pieces);
    await withRetry(STORAGE_RETRY, async () => await this.bucket.put(key, body));
    this.pieces += 1;
    this.filledBytes = 0;
  }
}

/** Reads what a `PieceWriter` wrote, so many bytes at a time, holding one object of it. */
export class PieceReader {
  private readonly bucket: R2Bucket;
  private readonly key: string;
  private piece = new Uint8Array(0);
  private pieces = 0;

  constructor(bucket: R2Bucket, key: string) {
    this.bucket = bucket;
    this.key = key;
  }

  /** Gives up what is held, and with it what was read last. */
  close(): void {
    freeBuffer(this.piece);
  }

  /** The next `sizeBytes` bytes, valid until the next call. Throws when there are not so many. */
  async read(sizeBytes: number): Promise<Uint8Array> {
    if (this.piece.length >= sizeBytes) return this.take(sizeBytes);
    const bytes = new Uint8Array(sizeBytes);
    for (let filledBytes = 0; filledBytes < sizeBytes;) {
      if (this.piece.length === 0) await this.load();
      const part = this.take(Math.min(this.piece.length, sizeBytes - filledBytes));
      bytes.set(part, filledBytes);
      filledBytes += part.length;
    }
    return bytes;
  }

  private take(sizeBytes: number): Uint8Array {
    const part = this.piece.subarray(0, sizeBytes);
    this.piece = this.piece.subarray(sizeBytes);
    return part;
  }

  private async load(): Promise<void> {
    const key = pieceKey(this.key, this.pieces);
    this.pieces += 1;
    freeBuffer(this.piece);
    this.piece = await withRetry(STORAGE_RETRY, async () => {
      const object = await this.bucket.get(key);
      if (object === null) throw new Error("What an earlier step stored is gone.");
      return new Uint8Array(await object.arrayBuffer());
    });
  }
}

function pieceKey(key: string, piece: number): string {
  return `${key}.${String(piece).padStart(5, "0")}`;
}
