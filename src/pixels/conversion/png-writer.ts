import { concatBytes } from "../redaction/bytes/bytes.ts";
import { writeOrientation } from "../redaction/bytes/exif.ts";
import { chunkBytes, SIGNATURE } from "../redaction/png/chunks.ts";
import { PngCodec, type RowBuffer } from "../redaction/png/codec.ts";
import { Deflater } from "../redaction/png/deflater.ts";
import { profilePayload } from "../redaction/png/profile.ts";
import { CHANNELS, damaged, type Picture, type Samples } from "./picture.ts";

/** PNG, 11.2.1. */
const COLOUR_TYPES: Readonly<Partial<Record<Samples, number>>> = { grey: 0, rgb: 2, rgba: 6 };
/** The filter of PNG (9.2) that predicts best on average. */
const PAETH = 4;

/** Writes a picture as PNG while it is decoded. The PNG contains only pixels, their profile and the orientation. */
export async function* writePng(picture: Picture): AsyncGenerator<Uint8Array> {
  const { width, height, samples, bitDepth, orientation, profile } = picture;
  const colourType = COLOUR_TYPES[samples];
  if (colourType === undefined) throw new Error(`A PNG holds no ${samples}.`);
  const pixelBytes = (CHANNELS[samples] * bitDepth) / 8;
  const rowBytes = width * pixelBytes;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([bitDepth, colourType], 8);
  const payload = profile && (await profilePayload(profile));
  yield concatBytes([
    SIGNATURE,
    chunkBytes("IHDR", header),
    ...(payload === undefined ? [] : [chunkBytes("iCCP", payload)]),
    ...(orientation === 1 ? [] : [chunkBytes("eXIf", writeOrientation(orientation))]),
  ]);

  const codec = new PngCodec({ rows: 3, rowBytes: 1 + rowBytes });
  const target = codec.row("target", 1 + rowBytes);
  let above: RowBuffer = codec.row("above", rowBytes);
  let current: RowBuffer = codec.row("current", rowBytes);
  const deflater = new Deflater();
  try {
    let written = 0;
    for await (const rows of picture.rows()) {
      for (let at = 0; at < rows.length; at += rowBytes) {
        if (++written > height) throw damaged("The picture has more rows than it declares.");
        current.bytes.set(rows.subarray(at, at + rowBytes));
        codec.exports.filter(PAETH, current.address, above.address, target.address + 1, rowBytes, pixelBytes);
        target.bytes[0] = PAETH;
        yield* deflater.write(target.bytes, 1 + rowBytes);
        [above, current] = [current, above];
      }
    }
    if (written < height) throw damaged("The picture has fewer rows than it declares.");
    yield* deflater.finish();
  } finally {
    deflater.close();
  }
  yield chunkBytes("IEND", new Uint8Array(0));
}
