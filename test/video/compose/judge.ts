import type { ComposedFrame } from "./clip.ts";

/** Reads a luma plane; says how many codes could be read. */
export type CountReadable = (luma: Uint8Array, width: number, height: number) => Promise<number>;

/** What a clip shows after redaction. */
export interface Verdict {
  readonly frames: number;
  /** Frames in which a code can be read. */
  readonly readableFrames: readonly number[];
  /** Frames that show codes of which less than {@link LEAST_COVERAGE} is hidden. */
  readonly bareFrames: readonly number[];
  /** Pixels over all frames that show codes, and that were hidden. */
  readonly truthPixels: number;
  readonly maskedPixels: number;
}

/** Share of a frame's code pixels that must be hidden. */
const LEAST_COVERAGE = 0.95;

/** Looks at redacted frames one after another. */
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
   * @param masked 1 for each pixel that is hidden: known when nothing was compressed, else {@link maskBetween}
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

  /** What was found so far. */
  get verdict(): Verdict {
    const frames = this.#frames;
    const truthPixels = this.#truthPixels;
    const maskedPixels = this.#maskedPixels;
    return { frames, readableFrames: this.#readable, bareFrames: this.#bare, truthPixels, maskedPixels };
  }
}

/** Levels by which compression alone does not change a pixel. */
const CHANGE_LEVELS = 24;
/** Hidden pixels that happen to look as before are no farther than this from ones that do not. */
const CLOSING_PX = 4;

/**
 * Which pixels of a decoded frame were hidden: those that differ clearly from the source, and the gaps between them (a
 * morphological closing). Areas that were as flat before as they are now look unchanged.
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

/** Every pixel within {@link CLOSING_PX} columns and rows of one with the value gets it; beyond the frame there is none. */
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
