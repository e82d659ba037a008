import type { ComposedFrame } from "./clip.ts";

/** Reads a luma plane. Returns the number of readable codes. */
export type CountReadable = (luma: Uint8Array, width: number, height: number) => Promise<number>;

/** The verdict about a redacted clip. */
export interface Verdict {
  readonly frames: number;
  /** Frames in which a code can be read. */
  readonly readableFrames: readonly number[];
  /** Frames with codes of which less than {@link LEAST_COVERAGE} is hidden. */
  readonly bareFrames: readonly number[];
  /** The number of code pixels and of hidden pixels over all frames. */
  readonly truthPixels: number;
  readonly maskedPixels: number;
}

/** Share of a frame's code pixels that must be hidden. */
const LEAST_COVERAGE = 0.95;

/** Judges redacted frames one after another. */
export class Judge {
  #frames = 0;
  readonly #readable: number[] = [];
  readonly #bare: number[] = [];
  #truthPixels = 0;
  #maskedPixels = 0;
  readonly #countReadable: CountReadable;

  /** With a decoder. */
  constructor(countReadable: CountReadable) {
    this.#countReadable = countReadable;
  }

  /**
   * Judges the next frame.
   *
   * @param masked 1 for each hidden pixel: exact if nothing was compressed, or else from {@link maskBetween}
   */
  async look(frame: {
    readonly source: ComposedFrame;
    readonly luma: Uint8Array;
    readonly masked: Uint8Array;
    readonly width: number;
    readonly height: number;
  }): Promise<void> {
    const { source, luma, masked, width, height } = frame;
    let truth = 0;
    let covered = 0;
    let all = 0;
    for (let at = 0; at < width * height; at++) {
      const isMasked = masked[at] === 1;
      if (isMasked) all++;
      if (source.truth[at] !== 1) continue;
      truth++;
      if (isMasked) covered++;
    }
    if (truth > 0 && covered < LEAST_COVERAGE * truth) this.#bare.push(this.#frames);
    if ((await this.#countReadable(luma, width, height)) > 0) this.#readable.push(this.#frames);
    this.#truthPixels += truth;
    this.#maskedPixels += all;
    this.#frames++;
  }

  /** The verdict so far. */
  get verdict(): Verdict {
    const frames = this.#frames;
    const truthPixels = this.#truthPixels;
    const maskedPixels = this.#maskedPixels;
    return { frames, readableFrames: this.#readable, bareFrames: this.#bare, truthPixels, maskedPixels };
  }
}

/** Compression alone changes a pixel by less than this, in levels. */
const CHANGE_LEVELS = 24;
/** Hidden pixels that look unchanged by chance are at most this far from changed ones. */
const CLOSING_PX = 4;

/**
 * Which pixels of a decoded frame were hidden: those that differ clearly from the source, and the gaps between them (a
 * morphological closing). Areas that were flat before look unchanged.
 */
export function maskBetween(
  source: Uint8Array,
  output: Uint8Array,
  width: number,
  height: number,
): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (let at = 0; at < mask.length; at++) {
    if (Math.abs((source[at] as number) - (output[at] as number)) > CHANGE_LEVELS) mask[at] = 1;
  }
  return spread(spread(mask, width, height, 1), width, height, 0);
}

/** Spreads a value to every pixel within {@link CLOSING_PX} columns and rows. */
function spread(mask: Uint8Array, width: number, height: number, value: 0 | 1): Uint8Array {
  const along = new Uint8Array(mask);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (mask[y * width + x] !== value) continue;
      along.fill(
        value,
        y * width + Math.max(0, x - CLOSING_PX),
        y * width + Math.min(width, x + CLOSING_PX + 1),
      );
    }
  }
  const both = new Uint8Array(along);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (along[y * width + x] !== value) continue;
      for (let row = Math.max(0, y - CLOSING_PX); row < Math.min(height, y + CLOSING_PX + 1); row++) {
        both[row * width + x] = value;
      }
    }
  }
  return both;
}
