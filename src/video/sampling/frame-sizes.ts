import { fitsWorker } from "../containers/worker-size.ts";

/** Every how many pixels a coarse frame has one. */
const COARSE_STEP = 8;
/** Frames are shown to the detector with at most so many pixels on their longer side. */
const SAMPLE_LONG_SIDE = 640;

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** Size at which patches are painted: that of the frames, or half of it where a Worker would have no room for them. */
export function paintedSize(size: FrameSize): FrameSize {
  if (fitsWorker(size)) return size;
  return { width: Math.ceil(size.width / 2), height: Math.ceil(size.height / 2) };
}

/** Size of the coarse frame of a video's frames. */
export function coarseSize(size: FrameSize): FrameSize {
  const { width, height } = paintedSize(size);
  return {
    width: Math.max(2, Math.ceil(width / COARSE_STEP)),
    height: Math.max(2, Math.ceil(height / COARSE_STEP)),
  };
}

/** Size at which frames are shown to the detector: never larger than they are. */
export function sampleSize({ width, height }: FrameSize): FrameSize {
  const scale = Math.min(1, SAMPLE_LONG_SIDE / Math.max(width, height));
  const even = (side: number): number => Math.max(2, Math.round((side * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}
