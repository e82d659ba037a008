import type { PixelSize } from "../../../pixels/geometry/box.ts";
import { fitsWorker } from "../containers/worker-size.ts";

/** How many pixels one value of a coarse frame covers along each side. */
const COARSE_STEP = 8;
/** The detector gets frames with at most this many pixels on their longer side. */
const SAMPLE_LONG_SIDE = 1280;

/** Size at which patches are painted: the size of the frames, or half of it if a Worker does not have the memory. */
export function paintedSize(size: PixelSize): PixelSize {
  if (fitsWorker(size)) return size;
  return { width: Math.ceil(size.width / 2), height: Math.ceil(size.height / 2) };
}

/** Size of the coarse frames of a video. */
export function coarseSize(size: PixelSize): PixelSize {
  const { width, height } = paintedSize(size);
  return {
    width: Math.max(2, Math.ceil(width / COARSE_STEP)),
    height: Math.max(2, Math.ceil(height / COARSE_STEP)),
  };
}

/** Size at which the detector gets frames: never larger than the frames themselves. */
export function sampleSize({ width, height }: PixelSize): PixelSize {
  const scale = Math.min(1, SAMPLE_LONG_SIDE / Math.max(width, height));
  const even = (side: number): number => Math.max(2, Math.round((side * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}
