/** A reader and writer of PNG files that share no code with the kernel. Pixels are raw samples. */
export interface PngKind {
  readonly colourType: number;
  readonly bitDepth: number;
  readonly isInterlaced: boolean;
}

export interface PngChunk {
  readonly name: string;
  readonly payload: Uint8Array;
}

export const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

const STARTS = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The pixel positions of each row, in file order. */
export function* pngRows(
  width: number,
  height: number,
  isInterlaced: boolean,
): Generator<(readonly [number, number])[]> {
  for (const [x0, y0, dx, dy] of isInterlaced ? STARTS : ([[0, 0, 1, 1]] as const)) {
    for (let y = y0; y < height; y += dy) {
      const row: [number, number][] = [];
      for (let x = x0; x < width; x += dx) row.push([x, y]);
      if (row.length > 0) yield row;
    }
  }
}

export async function through(
  bytes: Uint8Array,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const body = new Response(bytes).body;
  if (body === null) throw new Error("no body");
  return new Uint8Array(await new Response(body.pipeThrough(stream)).arrayBuffer());
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

export function pngChunk(name: string, payload: Uint8Array): Uint8Array {
  const body = Array.from(name, (character) => character.charCodeAt(0));
  const bytes = Uint8Array.from([0, 0, 0, 0, ...body, ...payload, 0, 0, 0, 0]);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length);
  let crc = 0xffffffff;
  for (const byte of bytes.subarray(4, -4)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 1 ? 0xedb88320 : 0);
  }
  view.setUint32(bytes.length - 4, ~crc >>> 0);
  return bytes;
}

export function readChunks(file: Uint8Array): PngChunk[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const chunks: PngChunk[] = [];
  for (let at = 8; at < file.length;) {
    const length = view.getUint32(at);
    const payload = file.subarray(at + 8, at + 8 + length);
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
    if (pngChunk(name, payload).some((byte, index) => byte !== file[at + index]))
      throw new Error(`CRC of ${name}`);
    chunks.push({ name, payload });
    at += 12 + length;
  }
  return chunks;
}

/** Packs the samples of a row, most significant bits first. */
export function packRow(samples: readonly number[], bitDepth: number): Uint8Array {
  const bits = samples.map((sample) => sample.toString(2).padStart(bitDepth, "0")).join("");
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, at) =>
    Number.parseInt(bits.slice(8 * at, 8 * at + 8).padEnd(8, "0"), 2),
  );
}

export function unpackRow(row: Uint8Array, count: number, bitDepth: number): number[] {
  const bits = [...row].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return Array.from({ length: count }, (_, at) =>
    Number.parseInt(bits.slice(bitDepth * at, bitDepth * (at + 1)), 2),
  );
}

/** The byte a filter predicts (PNG, 9.2). */
export function predict(type: number, left: number, up: number, upLeft: number): number {
  if (type === 1) return left;
  if (type === 2) return up;
  if (type === 3) return Math.floor((left + up) / 2);
  if (type !== 4) return 0;
  const nearest = [left, up, upLeft].map((value) => Math.abs(left + up - upLeft - value));
  return [left, up, upLeft][nearest.indexOf(Math.min(...nearest))] ?? 0;
}
