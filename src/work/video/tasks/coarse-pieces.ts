import { StoredDataError } from "../../../ground/platform/stored-data.ts";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { PieceWriter, findPiece, pieceKey, type LoadPiece } from "../../../records/video-tasks/pieces.ts";
import { COARSE_NAME } from "../../../records/video-tasks/video.objects.ts";

/** Writes the coarse frames of a segment. Each piece is compressed separately, so that it can be read separately. */
export function coarseWriter(bucket: R2Bucket, keyOf: (name: string) => string): PieceWriter {
  return new PieceWriter(bucket, keyOf(COARSE_NAME), async (piece) => {
    return await through(piece, new CompressionStream("gzip"));
  });
}

/** Loads the coarse frames of a segment, piece by piece. */
export function coarsePieces(bucket: R2Bucket, keyOf: (name: string) => string): LoadPiece {
  return async (piece) => {
    const packed = await findPiece(bucket, pieceKey(keyOf(COARSE_NAME), piece));
    if (packed === undefined) throw new StoredDataError("The coarse frames are gone.");
    return await unpack(packed);
  };
}

/** The whole piece has been read, so if it cannot be unpacked now, it never can. */
async function unpack(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await through(packed, new DecompressionStream("gzip"));
  } catch (error) {
    throw new StoredDataError("The coarse frames are damaged.", error);
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
