import { StoredDataError } from "../../ground/platform/stored-data.ts";
import { freeBuffer } from "../../ground/platform/buffers.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";

/** Size of each object in a sequence, before packing. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** Initial buffer size. The buffer doubles as needed, so that short data takes little memory. */
const FIRST_ROOM_BYTES = 64 * 1024;

/** Transforms a piece before it is stored. Without it, the piece is stored unchanged. */
type Pack = (piece: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

/** Loads a piece of a sequence, as it was written, by its number. @throws StoredDataError when there is none */
export type LoadPiece = (piece: number) => Promise<Uint8Array<ArrayBuffer>>;

/** Loads the pieces of a sequence that is stored unpacked. */
export function piecesAt(bucket: R2Bucket, key: string): LoadPiece {
  return async (piece) => {
    const bytes = await findPiece(bucket, pieceKey(key, piece));
    if (bytes === undefined) throw new StoredDataError("What an earlier step stored is gone.");
    return bytes;
  };
}

/**
 * Writes bytes of unknown length as a sequence of numbered objects and buffers one of them. Unlike an unfinished multipart
 * upload, everything it leaves behind appears in a listing.
 */
export class PieceWriter {
  readonly #bucket: R2Bucket;
  readonly #key: string;
  readonly #pack: Pack | undefined;
  #piece = new Uint8Array(FIRST_ROOM_BYTES);
  #filledBytes = 0;
  #pieces = 0;

  constructor(bucket: R2Bucket, key: string, pack?: Pack) {
    this.#bucket = bucket;
    this.#key = key;
    this.#pack = pack;
  }

  /** Writes the next bytes. Returns once the caller may overwrite them. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      if (this.#filledBytes === PIECE_BYTES) await this.#store();
      const part = chunk.subarray(at, at + PIECE_BYTES - this.#filledBytes);
      this.#makeRoom(this.#filledBytes + part.length);
      this.#piece.set(part, this.#filledBytes);
      this.#filledBytes += part.length;
      at += part.length;
    }
  }

  /** Stores the rest. Nothing can be written afterward. */
  async finish(): Promise<void> {
    if (this.#filledBytes > 0) await this.#store();
    freeBuffer(this.#piece);
  }

  #makeRoom(neededBytes: number): void {
    let roomBytes = this.#piece.length;
    while (roomBytes < neededBytes) roomBytes *= 2;
    if (roomBytes === this.#piece.length) return;
    this.#piece = new Uint8Array(this.#piece.buffer.transfer(roomBytes));
  }

  async #store(): Promise<void> {
    const filled = this.#piece.subarray(0, this.#filledBytes);
    const body = (await this.#pack?.(filled)) ?? filled;
    const key = pieceKey(this.#key, this.#pieces);
    await withRetry(STORAGE_RETRY, async () => await this.#bucket.put(key, body));
    if (body !== filled) freeBuffer(body);
    this.#pieces += 1;
    this.#filledBytes = 0;
  }
}

/** Reads what a `PieceWriter` wrote, in order, and holds one object of it. */
export class PieceReader {
  readonly #loadPiece: LoadPiece;
  #piece: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #pieces: number;
  #skippedBytes: number;

  /** @param fromByte where reading begins */
  constructor(loadPiece: LoadPiece, fromByte = 0) {
    this.#loadPiece = loadPiece;
    this.#pieces = Math.floor(fromByte / PIECE_BYTES);
    this.#skippedBytes = fromByte % PIECE_BYTES;
  }

  /** Frees the held piece and, with it, the bytes that were read last. */
  close(): void {
    freeBuffer(this.#piece);
  }

  /** Returns the next `sizeBytes` bytes, valid until the next call. @throws when fewer are left */
  async read(sizeBytes: number): Promise<Uint8Array> {
    if (this.#piece.length >= sizeBytes) return this.#take(sizeBytes);
    const bytes = new Uint8Array(sizeBytes);
    for (let filledBytes = 0; filledBytes < sizeBytes;) {
      if (this.#piece.length === 0) await this.#load();
      const part = this.#take(Math.min(this.#piece.length, sizeBytes - filledBytes));
      bytes.set(part, filledBytes);
      filledBytes += part.length;
    }
    return bytes;
  }

  #take(sizeBytes: number): Uint8Array {
    const part = this.#piece.subarray(0, sizeBytes);
    this.#piece = this.#piece.subarray(sizeBytes);
    return part;
  }

  async #load(): Promise<void> {
    freeBuffer(this.#piece);
    this.#piece = await this.#loadPiece(this.#pieces);
    this.#pieces += 1;
    this.#take(this.#skippedBytes);
    this.#skippedBytes = 0;
  }
}

/** Pieces that random access holds at once, because a range may span two. */
const MOST_HELD = 2;

/** Reads ranges of what a `PieceWriter` wrote, in any order, and holds two objects of it. */
export class PieceRanges {
  readonly #loadPiece: LoadPiece;
  /** The most recently used piece is last. */
  readonly #held = new Map<number, Uint8Array>();

  constructor(loadPiece: LoadPiece) {
    this.#loadPiece = loadPiece;
  }

  /** Returns `sizeBytes` bytes from `fromByte` on. @throws when there are fewer */
  async read(fromByte: number, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(sizeBytes);
    for (let filledBytes = 0; filledBytes < sizeBytes;) {
      const at = fromByte + filledBytes;
      const piece = await this.#piece(Math.floor(at / PIECE_BYTES));
      const part = piece.subarray(at % PIECE_BYTES, (at % PIECE_BYTES) + sizeBytes - filledBytes);
      if (part.length === 0) throw new StoredDataError("What an earlier step stored is too short.");
      bytes.set(part, filledBytes);
      filledBytes += part.length;
    }
    return bytes;
  }

  async #piece(index: number): Promise<Uint8Array> {
    const piece = this.#held.get(index) ?? (await this.#loadPiece(index));
    this.#held.delete(index);
    this.#held.set(index, piece);
    const [oldest] = this.#held.keys();
    if (this.#held.size > MOST_HELD && oldest !== undefined) this.#held.delete(oldest);
    return piece;
  }
}

/** Reads the object of a piece; undefined if there is none. */
export async function findPiece(bucket: R2Bucket, key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return await withRetry(STORAGE_RETRY, async () => {
    const object = await bucket.get(key);
    return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
  });
}

/** Key of the n-th object of a sequence. */
export function pieceKey(key: string, piece: number): string {
  return `${key}.${String(piece).padStart(5, "0")}`;
}
