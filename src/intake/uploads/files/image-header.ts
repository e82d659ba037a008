import { EOI, isFrameMarker, SOI, SOS, standsAlone } from "../../../pixels/redaction/jpeg/segments.ts";
import { canvasSize, FLAG_ANIMATION, losslessSize, lossySize } from "../../../pixels/redaction/webp/size.ts";
import { RedactionError } from "../../../pixels/redaction/bytes/errors.ts";
import type { StillFormat } from "../../../ground/vocabulary/media-values.ts";
import { avifHeader, bmpHeader, gifHeader, heicHeader, tiffHeader } from "./converted-headers.ts";
import {
  EndOfFileError,
  headerOf,
  ImageHeaderError,
  skip,
  take,
  type HeaderParser,
  type ImageHeader,
} from "./header-parser.ts";

/**
 * Reads an image's header from a file that arrives in chunks, and holds only a few bytes of it. Pass the chunks to `push`;
 * `finish` returns the header.
 */
export class ImageHeaderReader {
  readonly #parser: HeaderParser;
  #wanted = new Uint8Array(0);
  #filledBytes = 0;
  #skipBytes = 0;
  #header: ImageHeader | undefined;

  constructor(format: StillFormat) {
    this.#parser = PARSERS[format]();
    this.#advance(NO_BYTES);
  }

  /** The header, once enough of the file has arrived. */
  get found(): ImageHeader | undefined {
    return this.#header;
  }

  /** Reads the next bytes of the file. @throws ImageHeaderError when they cannot be a header of the format */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (this.#header === undefined && at < chunk.length) {
      if (this.#skipBytes > 0) {
        const skipped = Math.min(this.#skipBytes, chunk.length - at);
        this.#skipBytes -= skipped;
        at += skipped;
        if (this.#skipBytes === 0) this.#advance(NO_BYTES);
        continue;
      }
      const taken = chunk.subarray(at, at + this.#wanted.length - this.#filledBytes);
      this.#wanted.set(taken, this.#filledBytes);
      this.#filledBytes += taken.length;
      at += taken.length;
      if (this.#filledBytes === this.#wanted.length) this.#advance(new DataView(this.#wanted.buffer));
    }
  }

  /** Returns the header after the whole file. @throws ImageHeaderError when the file ended within its header */
  finish(): ImageHeader {
    if (this.#header !== undefined) return this.#header;
    const next = this.#parser.throw(new EndOfFileError());
    if (next.done !== true) throw new EndOfFileError();
    this.#header = next.value;
    return this.#header;
  }

  #advance(bytes: DataView): void {
    let next = this.#next(bytes);
    while (next.done !== true && sizeOf(next.value) === 0) next = this.#next(NO_BYTES);
    if (next.done === true) {
      this.#header = next.value;
    } else if ("skip" in next.value) {
      this.#skipBytes = next.value.skip;
    } else {
      this.#wanted = new Uint8Array(next.value.take);
      this.#filledBytes = 0;
    }
  }

  #next(bytes: DataView): ReturnType<HeaderParser["next"]> {
    try {
      return this.#parser.next(bytes);
    } catch (error) {
      if (error instanceof RedactionError) throw new ImageHeaderError(error.message);
      throw error;
    }
  }
}

const NO_BYTES = new DataView(new ArrayBuffer(0));

function sizeOf(step: { take: number } | { skip: number }): number {
  return "skip" in step ? step.skip : step.take;
}

const PARSERS: Readonly<Record<StillFormat, () => HeaderParser>> = {
  jpeg: jpegHeader,
  png: pngHeader,
  webp: webpHeader,
  heic: heicHeader,
  avif: avifHeader,
  bmp: bmpHeader,
  gif: gifHeader,
  tiff: tiffHeader,
};

/** JPEG: markers up to the frame header (ITU-T T.81 §B.1, §B.2.2). */
function* jpegHeader(): HeaderParser {
  yield take(2);
  for (;;) {
    if ((yield take(1)).getUint8(0) !== 0xff) throw new ImageHeaderError("The JPEG has a damaged header.");
    let marker = (yield take(1)).getUint8(0);
    while (marker === 0xff) marker = (yield take(1)).getUint8(0);
    if (marker === SOI || marker === EOI) throw noFrame();
    if (standsAlone(marker)) continue;
    const lengthBytes = (yield take(2)).getUint16(0);
    if (lengthBytes < 2) throw new ImageHeaderError("The JPEG has a damaged header.");
    if (isFrameMarker(marker)) {
      if (marker > 0xc2) {
        throw new ImageHeaderError(
          "The JPEG is lossless, hierarchical or arithmetic-coded; only baseline and progressive JPEG are supported.",
        );
      }
      const frame = yield take(6);
      if (frame.getUint8(0) !== 8) {
        throw new ImageHeaderError(
          `The JPEG has ${frame.getUint8(0)} bits per sample; only 8 are supported.`,
        );
      }
      return headerOf({ width: frame.getUint16(3), height: frame.getUint16(1) }, marker === 0xc2);
    }
    if (marker === SOS) throw noFrame();
    yield skip(lengthBytes - 2);
  }
}

function noFrame(): ImageHeaderError {
  return new ImageHeaderError("The JPEG has no frame header before its image data.");
}

/** PNG: the header chunk, then the heads of chunks up to the image data. An animation declares itself there. */
function* pngHeader(): HeaderParser {
  yield take(8);
  const first = yield take(25);
  if (first.getUint32(4) !== chunkType("IHDR"))
    throw new ImageHeaderError("The PNG does not begin with its header chunk.");
  const header = headerOf({ width: first.getUint32(8), height: first.getUint32(12) });
  for (;;) {
    const chunk = yield take(8);
    const type = chunk.getUint32(4);
    if (type === chunkType("IDAT")) return header;
    if (type === chunkType("acTL"))
      throw new ImageHeaderError("The PNG is animated; only still images are supported.");
    if (type === chunkType("IEND")) throw new ImageHeaderError("The PNG holds no image data.");
    yield skip(chunk.getUint32(0) + 4);
  }
}

/** WebP: the first chunk (RFC 9649 §2.5–2.7, VP8 frame header of RFC 6386 §9.1). */
function* webpHeader(): HeaderParser {
  yield take(12);
  const type = (yield take(8)).getUint32(0);
  if (type === chunkType("VP8 ")) {
    const frame = yield take(10);
    if (frame.getUint8(3) !== 0x9d || frame.getUint8(4) !== 0x01 || frame.getUint8(5) !== 0x2a) {
      throw new ImageHeaderError("The WebP has a damaged frame header.");
    }
    return headerOf(lossySize(frame));
  }
  if (type === chunkType("VP8L")) {
    const frame = yield take(5);
    if (frame.getUint8(0) !== 0x2f) throw new ImageHeaderError("The WebP has a damaged frame header.");
    return headerOf(losslessSize(frame));
  }
  if (type === chunkType("VP8X")) {
    const canvas = yield take(10);
    if ((canvas.getUint8(0) & FLAG_ANIMATION) !== 0)
      throw new ImageHeaderError("The WebP is animated; only still images are supported.");
    return headerOf(canvasSize(canvas));
  }
  throw new ImageHeaderError("The WebP does not begin with an image.");
}

function chunkType(name: string): number {
  return new DataView(new TextEncoder().encode(name).buffer).getUint32(0);
}
