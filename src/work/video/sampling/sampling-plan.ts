import type { CoarseFrame } from "./coarse-frame.ts";
import { type FrameSignature, signatureDistance, signatureOf } from "./frame-signature.ts";
import { CUT_DISTANCE } from "./scene-cuts.ts";

/** Longest time between two samples when nothing moves. */
const BASE_INTERVAL_SECONDS = 0.3;
/**
 * Shortest time between two samples, however much moves. A shorter one gains nothing with a fast detector, and a slow one could
 * not keep up.
 */
export const LEAST_INTERVAL_SECONDS = 0.08;
/** Samples that may be taken per second on average, and in a burst. */
const LOOKS_PER_SECOND = 6;
const MOST_SAVED_LOOKS = 6;
/** A new shot is sampled even if the budget is spent, but not more often than this. */
const PICTURE_INTERVAL_SECONDS = 0.4;
/**
 * A sample is due when something has moved by this share of the frame's diagonal. That is a fifth of a head with a tenth of the
 * frame's size.
 */
const MOTION_SHARE = 0.018;

/** Side of the blocks in which motion is measured, in coarse values. */
const BLOCK = 6;
/** Changes up to this many 8-bit levels are noise and compression. */
const NOISE_LEVELS = 2.5;
/** Gradients below this carry no information about motion. */
const LEAST_GRADIENT = 3;
/** Differences can measure motion only up to about this many values per frame. */
const MOST_MOTION = 3;
/** Share of the blocks that may move faster than the measured motion of the frame: 1 in 50. */
const OUTLIERS = 0.02;

/**
 * Selects frames for the detector while a video is decoded: a few per second, more where something
 * moves fast, the frames on both sides of a cut, and the first and last frame.
 */
export class SamplingPlan {
  #last: { readonly luma: Uint8Array; readonly signature: FrameSignature } | undefined;
  #lastLookSeconds = -Infinity;
  #lastPictureSeconds = -Infinity;
  #lastSeconds = 0;
  #moved = 0;
  #savedLooks = MOST_SAVED_LOOKS;
  /** The decision about the latest frame, which the next frame may still change. */
  #pending: boolean | undefined;

  /**
   * Adds the next frame in presentation order. Returns, in order, the decisions that are now final: whether the detector gets
   * each frame. They come one frame late, because the frame just before a cut is sampled too. Otherwise nothing would detect
   * what came into view last.
   */
  decide(frame: { readonly coarse: CoarseFrame; readonly timestampSeconds: number }): boolean[] {
    const { coarse, timestampSeconds } = frame;
    const signature = signatureOf(coarse);
    const last = this.#last;
    if (last !== undefined) this.#moved += motionBetween(last.luma, coarse);
    // One buffer serves all frames. A new one per frame would leave a few megabytes per segment to the garbage collector.
    const luma = last?.luma.length === coarse.luma.length ? last.luma : new Uint8Array(coarse.luma.length);
    luma.set(coarse.luma);
    this.#last = { luma, signature };
    const passed = Math.max(0, timestampSeconds - this.#lastSeconds);
    this.#lastSeconds = timestampSeconds;
    this.#savedLooks = Math.min(MOST_SAVED_LOOKS, this.#savedLooks + passed * LOOKS_PER_SECOND);
    const isNewPicture =
      last !== undefined &&
      (this.#savedLooks >= 1 || timestampSeconds - this.#lastPictureSeconds >= PICTURE_INTERVAL_SECONDS) &&
      signatureDistance(last.signature, signature) >= CUT_DISTANCE;
    if (isNewPicture) this.#lastPictureSeconds = timestampSeconds;
    const decided = this.#pending === undefined ? [] : [this.#pending || isNewPicture];
    if (isNewPicture && this.#pending === false) this.#savedLooks = Math.max(0, this.#savedLooks - 1);
    this.#pending = last === undefined || isNewPicture || this.#isDue(coarse, timestampSeconds);
    if (this.#pending) {
      this.#lastLookSeconds = timestampSeconds;
      this.#moved = 0;
      this.#savedLooks = Math.max(0, this.#savedLooks - 1);
    }
    return decided;
  }

  /** Decides about the last frame, which is always sampled. */
  finish(): boolean[] {
    return this.#pending === undefined ? [] : [true];
  }

  #isDue({ width, height }: CoarseFrame, timestampSeconds: number): boolean {
    const sinceLook = timestampSeconds - this.#lastLookSeconds + EPSILON_SECONDS;
    if (sinceLook >= BASE_INTERVAL_SECONDS) return true;
    const isFar = this.#moved >= MOTION_SHARE * Math.hypot(width, height);
    return isFar && sinceLook >= LEAST_INTERVAL_SECONDS && this.#savedLooks >= 1;
  }
}

const EPSILON_SECONDS = 1e-6;

/**
 * How far the fastest part of a frame has moved since the previous frame, in coarse values. It is the change over time divided
 * by the change over space, block by block (the optical flow constraint of Horn and Schunck, 1981, along the gradient).
 */
function motionBetween(before: Uint8Array, { luma, width, height }: CoarseFrame): number {
  if (before.length !== luma.length) return 0;
  const motions: number[] = [];
  for (let top = 0; top + 1 < height; top += BLOCK) {
    for (let left = 0; left + 1 < width; left += BLOCK) {
      const right = Math.min(width - 1, left + BLOCK);
      const bottom = Math.min(height - 1, top + BLOCK);
      let change = 0;
      let gradient = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const at = y * width + x;
          const value = luma[at] as number;
          change += Math.abs(value - (before[at] as number));
          gradient += Math.max(
            Math.abs((luma[at + 1] as number) - value),
            Math.abs((luma[at + width] as number) - value),
          );
        }
      }
      const count = (right - left) * (bottom - top);
      const excess = Math.max(0, change / count - NOISE_LEVELS);
      motions.push(Math.min(MOST_MOTION, excess / Math.max(LEAST_GRADIENT, gradient / count)));
    }
  }
  motions.sort((a, b) => b - a);
  return motions[Math.floor(motions.length * OUTLIERS)] ?? 0;
}
