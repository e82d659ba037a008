import { decodeLzw } from "./lzw.ts";
import { damaged, type FileWindow, type SourceFile } from "./picture.ts";
import { DEFLATE, LZW, NO_COMPRESSION, PACK_BITS } from "./tiff-directory.ts";

/** Bytes of a piece in which uncompressed data is read. */
const PIECE_BYTES = 1024 * 1024;
const PACKED_PIECE_BYTES = 65_536;
const TIFF_LZW = { symbolBits: 8, isTiff: true } as const;

/** The decompressed data of a strip or tile, in pieces. The reader stops once it has enough. */
export async function* decompress(
  { file, window }: { readonly file: SourceFile; readonly window: FileWindow },
  compression: number,
  { start, length }: { readonly start: number; readonly length: number },
): AsyncGenerator<Uint8Array> {
  if (compression === NO_COMPRESSION) {
    if (length < PIECE_BYTES) {
      yield await window.read(start, length);
      return;
    }
    const end = Math.min(file.sizeBytes, start + length);
    for (let at = start; at < end; at += PIECE_BYTES)
      yield await file.read(at, Math.min(end, at + PIECE_BYTES));
    return;
  }
  const data = await window.read(start, length);
  if (compression === LZW) yield* decodeLzw([data], TIFF_LZW);
  else if (compression === PACK_BITS) yield* unpackBits(data);
  else if (DEFLATE.some((code) => code === compression)) yield* inflate(data);
}

/** TIFF 6.0, section 9. */
function* unpackBits(data: Uint8Array): Generator<Uint8Array> {
  const out = new Uint8Array(PACKED_PIECE_BYTES + 128);
  let filled = 0;
  for (let at = 0; at < data.length;) {
    const count = data[at++] as number;
    if (count < 128) {
      const part = data.subarray(at, at + count + 1);
      out.set(part, filled);
      filled += part.length;
      at += count + 1;
    } else if (count > 128) {
      const length = 257 - count;
      out.fill(data[at++] ?? 0, filled, filled + length);
      filled += length;
    }
    if (filled >= PACKED_PIECE_BYTES) {
      yield out.subarray(0, filled);
      filled = 0;
    }
  }
  yield out.subarray(0, filled);
}

/** Decompresses zlib data (RFC 1950) and ignores what follows its end. */
async function* inflate(data: Uint8Array): AsyncGenerator<Uint8Array> {
  const inflater = new DecompressionStream("deflate");
  const writer = inflater.writable.getWriter();
  const writing = Promise.allSettled([writer.write(data.slice()), writer.close()]);
  const reader = inflater.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw damaged("The TIFF's picture data is damaged.", cause);
  } finally {
    await reader.cancel().catch(() => undefined);
    await writing;
  }
}
