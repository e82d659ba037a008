import { GIF_EXTENSION, GIF_HEADER_BYTES, GIF_IMAGE, gifCanvas, gifTableBytes } from "../conversion/gif.ts";
import { Directory, isLittleEndian, layoutOf } from "../conversion/tiff-directory.ts";
import {
  EndOfFileError,
  headerOf,
  ImageHeaderError,
  skip,
  take,
  type HeaderParser,
  type ImageHeader,
} from "./header-parser.ts";

const COMPRESSED_BMP: Readonly<Record<number, string>> = {
  1: "run-length",
  2: "run-length",
  4: "JPEG",
  5: "PNG",
};
const CORE_HEADER_BYTES = 12;

/** BMP: its two headers (Microsoft, "Bitmap Storage"). */
export function* bmpHeader(): HeaderParser {
  yield skip(14);
  const headerBytes = (yield take(4)).getUint32(0, true);
  if (headerBytes === CORE_HEADER_BYTES) {
    const core = yield take(8);
    return headerOf({ width: core.getUint16(0, true), height: core.getUint16(2, true) });
  }
  const info = yield take(16);
  const compression = info.getUint32(12, true);
  const name = COMPRESSED_BMP[compression];
  if (name !== undefined)
    throw new ImageHeaderError(`The BMP's compression is ${name}; save it without compression, or as PNG.`);
  const width = info.getInt32(0, true);
  const height = info.getInt32(4, true);
  if (width < 0) throw new ImageHeaderError("The BMP has a damaged header.");
  return headerOf({ width, height: Math.abs(height) });
}

/** GIF: all blocks, since an animation shows by its second picture (GIF89a, appendix B). */
export function* gifHeader(): HeaderParser {
  const screen = yield take(GIF_HEADER_BYTES);
  yield skip(gifTableBytes(screen.getUint8(10)));
  let header: ImageHeader | undefined;
  try {
    for (;;) {
      const kind = (yield take(1)).getUint8(0);
      if (kind === GIF_IMAGE) {
        const image = yield take(9);
        if (header !== undefined)
          throw new ImageHeaderError("The GIF is animated; export it as MP4 or WebM and upload that.");
        header = headerOf(gifCanvas(screen, image));
        yield skip(gifTableBytes(image.getUint8(8)) + 1);
      } else if (kind === GIF_EXTENSION) yield skip(1);
      else break;
      for (let length = -1; length !== 0;) {
        length = (yield take(1)).getUint8(0);
        yield skip(length);
      }
    }
  } catch (error) {
    // Many files lack the trailer.
    if (!(error instanceof EndOfFileError) || header === undefined) throw error;
  }
  if (header === undefined) throw new ImageHeaderError("The GIF holds no picture.");
  return header;
}

/** TIFF: its first directory, wherever that lies (TIFF 6.0, section 2). */
export function* tiffHeader(): HeaderParser {
  const head = yield take(8);
  const isLittle = isLittleEndian(head);
  const at = head.getUint32(4, isLittle);
  if (at < 8) throw new ImageHeaderError("The TIFF has a damaged header.");
  yield skip(at - 8);
  const count = (yield take(2)).getUint16(0, isLittle);
  return headerOf(layoutOf(new Directory(yield take(count * 12), isLittle)));
}
