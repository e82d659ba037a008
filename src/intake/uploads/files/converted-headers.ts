import {
  GIF_EXTENSION,
  GIF_GRAPHIC_CONTROL,
  GIF_HEADER_BYTES,
  GIF_IMAGE,
  GIF_IMAGE_BYTES,
  gifCanvas,
  gifDelayMs,
  gifTableBytes,
} from "../../../pixels/conversion/gif-blocks.ts";
import { avifBytes, MOST_ALIVE_BYTES } from "../../../pixels/conversion/avif-limits.ts";
import { MOST_META_BYTES, readMeta, type HeifPicture } from "../../../pixels/conversion/heif-items.ts";
import { Directory, isLittleEndian, layoutOf } from "../../../pixels/conversion/tiff-directory.ts";
import {
  EndOfFileError,
  headerOf,
  ImageHeaderError,
  skip,
  take,
  type HeaderParser,
  type ImageHeader,
  type Step,
} from "./header-parser.ts";

const COMPRESSED_BMP: Readonly<Record<number, string>> = {
  4: "JPEG",
  5: "PNG",
};
/** The box type "meta". */
const META = 0x6d657461;
const CORE_HEADER_BYTES = 12;

/** The most pixels of a picture that is decoded as a whole. A grid of smaller pictures may have more. */
const MOST_PIXELS_IN_ONE = 2 ** 22;

/** HEIC: one H.265 picture, or a grid of them (ISO/IEC 23008-12). */
export function* heicHeader(): HeaderParser {
  const { crop, primary, alpha, isPremultiplied } = yield* heifMeta();
  checkKind(primary.type, { name: "HEIC", codec: "H.265", item: "hvc1" });
  const hasAlpha = alpha !== undefined;
  if (hasAlpha && (isPremultiplied || alpha.type !== primary.type))
    throw new ImageHeaderError("The HEIC's transparency is stored in an uncommon way. Export it as PNG.");
  const isInOne = primary.type !== "grid" && crop.width * crop.height > MOST_PIXELS_IN_ONE;
  return { ...headerOf(crop, isInOne), hasAlpha };
}

/** AVIF: one AV1 picture, or a grid of them (AV1 Image File Format, 2). */
export function* avifHeader(): HeaderParser {
  const heif = yield* heifMeta();
  const { crop, primary, alpha, width, height } = heif;
  checkKind(primary.type, { name: "AVIF", codec: "AV1", item: "av01" });
  if (avifBytes(heif) > MOST_ALIVE_BYTES)
    throw new ImageHeaderError(
      `The AVIF has ${width}×${height} pixels; decoding it needs more memory than one job has. Up to 4 megapixels are supported, fewer with transparency, 10 bits or full color resolution. Export it as JPEG.`,
    );
  return { ...headerOf(crop, true), hasAlpha: alpha !== undefined };
}

function checkKind(type: string, { name, codec, item }: { name: string; codec: string; item: string }): void {
  if (type === item || type === "grid") return;
  throw new ImageHeaderError(
    `The ${name}'s picture is of the kind ${JSON.stringify(type)}; only ${codec} is supported. Export it as JPEG.`,
  );
}

/** Finds and reads the box `meta`, wherever it is. */
function* heifMeta(): Generator<Step, HeifPicture, DataView> {
  for (;;) {
    const head = yield take(8);
    let left = head.getUint32(0) - 8;
    if (left === -7) left = Number((yield take(8)).getBigUint64(0)) - 16;
    if (left < 0) throw new ImageHeaderError("The file has a damaged header.");
    if (head.getUint32(4) !== META) yield skip(left);
    else if (left > MOST_META_BYTES) throw new ImageHeaderError("The file's header is too large.");
    else return readMeta(yield take(left));
  }
}

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
  if (name !== undefined) throw new ImageHeaderError(`The BMP's compression is ${name}; export it as PNG.`);
  const width = info.getInt32(0, true);
  const height = info.getInt32(4, true);
  if (width < 0) throw new ImageHeaderError("The BMP has a damaged header.");
  return headerOf({ width, height: Math.abs(height) }, compression === 1 || compression === 2);
}

const CONTROL_BYTES = 4;
/**
 * Each frame is drawn over the whole canvas and encoded, however few bytes it has in the file. No animation that a person makes
 * has more frames.
 */
const MOST_GIF_FRAMES = 10_000;

/** GIF: reads all blocks. A second picture makes it an animation, whose duration is the sum of all delays (GIF89a, appendix B). */
export function* gifHeader(): HeaderParser {
  const screen = yield take(GIF_HEADER_BYTES);
  yield skip(gifTableBytes(screen.getUint8(10)));
  let header: ImageHeader | undefined;
  let frames = 0;
  let durationMs = 0;
  let delayMs = gifDelayMs(0);
  try {
    for (;;) {
      const kind = (yield take(1)).getUint8(0);
      if (kind === GIF_IMAGE) {
        const image = yield take(GIF_IMAGE_BYTES);
        header ??= headerOf(gifCanvas(screen, image));
        yield skip(gifTableBytes(image.getUint8(8)) + 1);
        frames += 1;
        durationMs += delayMs;
        delayMs = gifDelayMs(0);
      } else if (kind === GIF_EXTENSION) {
        if ((yield take(1)).getUint8(0) === GIF_GRAPHIC_CONTROL) {
          const length = (yield take(1)).getUint8(0);
          if (length === 0) continue;
          const control = yield take(length);
          if (length >= CONTROL_BYTES) delayMs = gifDelayMs(control.getUint16(1, true));
        }
      } else break;
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
  if (frames > MOST_GIF_FRAMES)
    throw new ImageHeaderError(
      `The GIF has ${frames} frames; the limit is ${MOST_GIF_FRAMES}. Export it as MP4 or WebM.`,
    );
  return frames > 1 ? { ...header, animatedSeconds: durationMs / 1000 } : header;
}

/** TIFF: reads its first directory, wherever it is (TIFF 6.0, section 2). */
export function* tiffHeader(): HeaderParser {
  const head = yield take(8);
  const isLittle = isLittleEndian(head);
  const at = head.getUint32(4, isLittle);
  if (at < 8) throw new ImageHeaderError("The TIFF has a damaged header.");
  yield skip(at - 8);
  const count = (yield take(2)).getUint16(0, isLittle);
  return headerOf(layoutOf(new Directory(yield take(count * 12), isLittle)));
}
