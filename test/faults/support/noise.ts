import { chunk, concat, deflate } from "../../support/images.ts";
import { Random } from "../../support/random.ts";

/** An 8-bit RGB PNG of noise, 64 × 48 pixels, in which any remaining part of a hidden region is recognizable. */
export async function noise(seed: number): Promise<Uint8Array<ArrayBuffer>> {
  const random = new Random(seed);
  const rows = Uint8Array.from({ length: (1 + 64 * 3) * 48 }, (_none, at) =>
    at % (1 + 64 * 3) === 0 ? 0 : random.int(0, 255),
  );
  const header = new Uint8Array([0, 0, 0, 64, 0, 0, 0, 48, 8, 2, 0, 0, 0]);
  return concat([
    new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", await deflate(rows)),
    chunk("IEND", new Uint8Array(0)),
  ]);
}
