import { StoredDataError } from "../../jobs/stored-data.ts";
import { freeBuffer } from "../../platform/buffers.ts";
import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";

/** Bytes of one object of a row of objects. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** What little is written takes little memory: room grows by doubling. */
const FIRST_ROOM_BYTES = 64 * 1024;

/** How a piece is stored: as it is, unless it is packed. */
type Pack = (piece: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

/** Where the pieces of a row are read: each as it was written, by its number. @throws StoredDataError when there is none */
export type LoadPiece = (piece: number) => Promise<Uint8Array<ArrayBuffer>>;

/** The pieces of a row that are stored as they were written. */
export function piecesAt(bucket: R2Bucket, key: string): LoadPiece {
  return async (piece) => {
    const bytes = await findPiece(bucket, pieceKey(key, piece));
    if (bytes === undefined) throw new StoredDataError("What an earlier step stored is gone.");
    return bytes;
  };
}

/**
 * Writes bytes of unknown length as a row of numbered objects, holding one of them. Unlike a multipart upload it leaves nothing
 * behind that a listing does not show.
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

  /** Takes the next bytes; returns once they may be overwritten. */
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

  /** Stores what is left. Nothing can be written any more. */
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

/** Reads what a `PieceWriter` wrote, so many bytes at a time, holding one object of it. */
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

  /** Gives up what is held, and with it what was read last. */
  close(): void {
    freeBuffer(this.#piece);
  }

  /** The next `sizeBytes` bytes, valid until the next call. Throws when there are not so many. */
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

/** Pieces held at once by who reads anywhere: what is read may lie across two. */
const MOST_HELD = 2;

/** Reads what a `PieceWriter` wrote, at any place and in any order, holding two objects of it. */
export class PieceRanges {
  readonly #loadPiece: LoadPiece;
  /** The one read last comes last. */
  readonly #held = new Map<number, Uint8Array>();

  constructor(loadPiece: LoadPiece) {
    this.#loadPiece = loadPiece;
  }

  /** So many bytes from one on. Throws when there are not so many. */
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

/** The object of a piece; undefined when there is none. */
export async function findPiece(bucket: R2Bucket, key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return await withRetry(STORAGE_RETRY, async () => {
    const object = await bucket.get(key);
    return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
  });
}

/** Key of the n-th object of a row. */
export function pieceKey(key: string, piece: number): string {
  return `${key}.${String(piece).padStart(5, "0")}`;
}
