import type { PixelSize } from "../../../pixels/geometry/box.ts";
import { writeJpeg } from "../../../pixels/conversion/jpeg-writer.ts";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { AreaScaler } from "./area-scaler.ts";
import { coarseFrameOf, yuv420Bytes } from "./coarse-frame.ts";
import type { OfferedPicture } from "./sample-looks.ts";

interface RawPicturesOptions {
  /** Size of the frames that the engine writes. */
  readonly size: PixelSize;
  /** Size of the pictures, with even sides. */
  readonly sample: PixelSize;
  /** Whether the frames have the full range of 8 bits. Called when a picture is made. */
  readonly isFullRange: () => boolean;
  /** Receives each frame as a picture that can be made of it. */
  readonly onPicture: (picture: OfferedPicture) => Promise<void>;
}

/**
 * Receives raw 4:2:0 frames and makes pictures of those that the detector gets. The engine's own pictures would take three times as
 * long as decoding, for each frame, and most frames are not looked at.
 */
export class RawPictures {
  readonly #options: RawPicturesOptions;
  readonly #frameBytes: number;
  readonly #luma: AreaScaler;
  readonly #chroma: AreaScaler;
  /** Buffers of frames that were freed. New ones would be left to the garbage collector. */
  readonly #free: Uint8Array<ArrayBuffer>[] = [];
  #frame: Uint8Array<ArrayBuffer> | undefined;
  #filledBytes = 0;

  constructor(options: RawPicturesOptions) {
    const { size, sample } = options;
    this.#options = options;
    this.#frameBytes = yuv420Bytes(size.width, size.height);
    this.#luma = new AreaScaler(size, sample);
    this.#chroma = new AreaScaler(halved(size), halved(sample));
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const frame = (this.#frame ??= this.#free.pop() ?? new Uint8Array(this.#frameBytes));
      const part = chunk.subarray(at, at + frame.length - this.#filledBytes);
      frame.set(part, this.#filledBytes);
      this.#filledBytes += part.length;
      at += part.length;
      if (this.#filledBytes < frame.length) continue;
      this.#filledBytes = 0;
      this.#frame = undefined;
      await this.#options.onPicture(this.#pictureOf(frame));
    }
  }

  close(): void {
    for (const buffer of [...this.#free, ...(this.#frame ? [this.#frame] : [])]) freeBuffer(buffer);
  }

  #pictureOf(frame: Uint8Array<ArrayBuffer>): OfferedPicture {
    const free = (): void => {
      this.#free.push(frame);
    };
    return {
      free,
      toJpeg: async () => {
        const jpeg = await this.#jpegOf(frame);
        free();
        return jpeg;
      },
    };
  }

  async #jpegOf(frame: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const { size, sample, isFullRange } = this.#options;
    const { luma, chromaBlue, chromaRed } = coarseFrameOf(frame, size.width, size.height);
    const scaled = new Uint8Array(yuv420Bytes(sample.width, sample.height));
    const { width } = sample;
    const ranges = isFullRange() ? FULL : LIMITED;
    // Rows come in pairs: two of luma, then one of each chroma plane, as the writer reads them.
    const pairBytes = 3 * width;
    this.#luma.scale(luma, scaled, {
      levels: ranges.luma,
      startOf: (row) => (row >> 1) * pairBytes + (row & 1) * width,
    });
    for (const [index, plane] of [chromaBlue, chromaRed].entries()) {
      const first = 2 * width + (index * width) / 2;
      this.#chroma.scale(plane, scaled, { levels: ranges.chroma, startOf: (row) => first + row * pairBytes });
    }
    const parts: Uint8Array[] = [];
    const picture = {
      ...sample,
      samples: "ycc420",
      bitDepth: 8,
      orientation: 1,
      profile: undefined,
      rows: async function* () {
        yield scaled;
      },
    } as const;
    for await (const part of writeJpeg(picture)) parts.push(part);
    freeBuffer(scaled);
    return Uint8Array.from(concatBytes(parts));
  }
}

function halved({ width, height }: PixelSize): PixelSize {
  return { width: Math.ceil(width / 2), height: Math.ceil(height / 2) };
}

/** Expands the levels from `low` to `high` to the range from 0 to 255. */
function expanded(low: number, high: number): Uint8Array {
  const levels = Uint8ClampedArray.from({ length: 256 }, (_, level) => ((level - low) * 255) / (high - low));
  return new Uint8Array(levels.buffer);
}

const FULL = { luma: expanded(0, 255), chroma: expanded(0, 255) };
/** A JPEG has the full range (ITU-T T.871, 6); most films have luma from 16 to 235 and chroma from 16 to 240 (ITU-R BT.601, 2.5.3). */
const LIMITED = { luma: expanded(16, 235), chroma: expanded(16, 240) };
