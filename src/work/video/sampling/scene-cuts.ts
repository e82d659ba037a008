import { type FrameSignature, signatureDistance, spreadOf } from "./frame-signature.ts";

/** Frames before and after a change that decide whether it is a cut. A flash is over by then. */
export const CUT_CONTEXT_FRAMES = 5;
/** Least distance between two shots, in 8-bit levels. */
export const CUT_DISTANCE = 4.5;
/** How many times larger a cut is than any change around it. Pans and camera shake change every frame. */
const CUT_PROMINENCE = 2;
/** Share of a cut's distance that the frames after it must keep from the frame before it. */
const CUT_PERSISTENCE = 0.6;
/** A frame whose luma has a standard deviation below the first value is blank. One above the second value shows something. */
const BLANK_SPREAD = 2.5;
const VISIBLE_SPREAD = 6;

interface Seen {
  readonly frameIndex: number;
  readonly signature: FrameSignature;
  /** Distance to the previous frame; 0 for the first frame. */
  readonly change: number;
}

/**
 * Finds cuts in consecutive frames.
 *
 * A cut is one large change that stands out from the changes around it and does not revert. Pans and camera shake change every
 * frame, a flash reverts, and a fade matches once brightness and contrast are matched. After a blank interval, the picture is
 * compared with the one before the interval. Dissolves are not reported, because what is hidden on both sides stays hidden in
 * between.
 */
export class CutDetector {
  readonly #recent: Seen[] = [];
  #blankFrom: number | undefined;
  #lastVisible: FrameSignature | undefined;

  /**
   * Adds the next frame. Returns the index of a frame that begins a new shot, {@link CUT_CONTEXT_FRAMES} frames late. After a
   * blank interval between two shots, it returns the middle of the interval.
   */
  push(frameIndex: number, signature: FrameSignature): number[] {
    const before = this.#recent.at(-1)?.signature;
    const change = before === undefined ? 0 : signatureDistance(before, signature);
    this.#recent.push({ frameIndex, signature, change });
    const cuts = this.#blankCut(frameIndex, signature);
    if (this.#recent.length > 2 * CUT_CONTEXT_FRAMES + 1) this.#recent.shift();
    const candidate = this.#recent.length - 1 - CUT_CONTEXT_FRAMES;
    if (candidate >= 1) cuts.push(...this.#cutAt(candidate));
    return cuts;
  }

  /** Ends the video and judges the frames that were waiting for later ones. */
  finish(): number[] {
    const first = Math.max(1, this.#recent.length - CUT_CONTEXT_FRAMES);
    const cuts: number[] = [];
    for (let index = first; index < this.#recent.length; index++) cuts.push(...this.#cutAt(index));
    return cuts;
  }

  #cutAt(index: number): number[] {
    const seen = this.#recent[index];
    const before = this.#recent[index - 1];
    if (seen === undefined || before === undefined || seen.change < CUT_DISTANCE) return [];
    const around = this.#recent.filter(
      (_, at) => at !== index && at >= 1 && Math.abs(at - index) <= CUT_CONTEXT_FRAMES,
    );
    if (around.some(({ change }) => change * CUT_PROMINENCE > seen.change)) return [];
    const isLasting = this.#recent
      .slice(index + 1)
      .every(
        ({ signature }) => signatureDistance(before.signature, signature) >= CUT_PERSISTENCE * seen.change,
      );
    return isLasting ? [seen.frameIndex] : [];
  }

  #blankCut(frameIndex: number, signature: FrameSignature): number[] {
    const spread = spreadOf(signature);
    if (spread < BLANK_SPREAD) this.#blankFrom ??= frameIndex;
    if (spread < VISIBLE_SPREAD) return [];
    const from = this.#blankFrom;
    const last = this.#lastVisible;
    this.#blankFrom = undefined;
    this.#lastVisible = signature;
    if (from === undefined || last === undefined) return [];
    return signatureDistance(last, signature) >= CUT_DISTANCE ? [Math.floor((from + frameIndex) / 2)] : [];
  }
}

/** Finds all cuts in a list of frames, such as the last of one segment and the first of the next. */
export function cutsAmong(signatures: readonly FrameSignature[]): number[] {
  const detector = new CutDetector();
  const cuts = signatures.flatMap((signature, index) => detector.push(index, signature));
  return [...new Set([...cuts, ...detector.finish()])].sort((a, b) => a - b);
}
