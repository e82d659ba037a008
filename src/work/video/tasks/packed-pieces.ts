import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { PieceWriter, findPiece, pieceKey, type LoadPiece } from "../../../records/video-tasks/pieces.ts";

/** Writes a compressed sequence. Each piece is compressed separately, so that it can be read separately. */
export function packedWriter(bucket: R2Bucket, key: string): PieceWriter {
  return new PieceWriter(bucket, key, async (piece) => {
    return await through(piece, new CompressionStream("gzip"));
  });
}

/** Loads a sequence that `packedWriter` wrote, piece by piece. */
export function packedPieces(bucket: R2Bucket, key: string): LoadPiece {
  return async (piece) => {
    const packed = await findPiece(bucket, pieceKey(key, piece));
    if (packed === undefined) throw new StoredDataError("What an earlier step stored is gone.");
    return await unpack(packed);
  };
}

/** The whole piece has been read, so if it cannot be unpacked now, it never can. */
async function unpack(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await through(packed, new DecompressionStream("gzip"));
  } catch (error) {
    throw new StoredDataError("What an earlier step stored is damaged.", error);
  } finally {
    freeBuffer(packed);
  }
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const { body } = new Response(bytes);
  return new Uint8Array(await new Response(body?.pipeThrough(transform)).arrayBuffer());
}
