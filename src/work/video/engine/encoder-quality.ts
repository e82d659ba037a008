import type { VideoPlan } from "../tasks/video-plan.ts";

/** How H.264 is encoded. */
export interface H264Quality {
  /** Quantizer of predicted frames (ITU-T H.264, 7.4.3), the same in every block. */
  readonly quantiser: number;
  /** Whether to use arithmetic coding: its output is an eighth smaller, but it is slow at high bit rates. */
  readonly isArithmetic: boolean;
}

/** The step at this quantizer is 8 levels, which keeps the output at 38 dB for any content. */
const USUAL_QUANTISER = 22;
/** A source with fewer bits per pixel has little fine texture left. A coarser step loses no more of it and keeps the output small. */
const FRUGAL_QUANTISER = 25;
const FRUGAL_BITS_PER_PIXEL = 0.03;
const ARITHMETIC_BITS_PER_PIXEL = 0.1;
/** How many bits of H.264 match one bit of each codec, roughly. */
const H264_BITS: Readonly<Record<VideoPlan["codec"], number>> = {
  avc: 1,
  hevc: 1.7,
  vp8: 0.9,
  vp9: 1.5,
  av1: 2,
  mpeg4: 0.7,
  mjpeg: 0.2,
};

/**
 * A quality at which the output keeps at least 38 dB and is at most 2.5 times as large as its source. A constant quantizer
 * needs no lookahead, and so no memory for waiting frames. It also bounds the error in busy frames, where a constant rate
 * factor saves bits.
 */
export function h264Quality(
  plan: Pick<
    VideoPlan,
    "codec" | "widthPixels" | "heightPixels" | "averageBitsPerSecond" | "frameTicks" | "ticksPerSecond"
  >,
): H264Quality {
  const { frameTicks, ticksPerSecond, widthPixels, heightPixels } = plan;
  const seconds = ((frameTicks.at(-1) ?? 0) - (frameTicks[0] ?? 0)) / ticksPerSecond;
  const framesPerSecond = seconds > 0 ? (frameTicks.length - 1) / seconds : 1;
  const pixelsPerSecond = widthPixels * heightPixels * framesPerSecond;
  const bitsPerPixel = (H264_BITS[plan.codec] * plan.averageBitsPerSecond) / pixelsPerSecond;
  return {
    quantiser: bitsPerPixel < FRUGAL_BITS_PER_PIXEL ? FRUGAL_QUANTISER : USUAL_QUANTISER,
    isArithmetic: bitsPerPixel < ARITHMETIC_BITS_PER_PIXEL,
  };
}
