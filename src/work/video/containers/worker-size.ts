import type { PixelSize } from "../../../pixels/geometry/box.ts";

/** The largest frames, in any orientation, that a Worker has the memory to decode and encode. */
export const WORKER_LONG_SIDE_PIXELS = 1920;
export const WORKER_SHORT_SIDE_PIXELS = 1088;
/** The largest frames that are sent to the inference service. */
export const SERVICE_LONG_SIDE_PIXELS = 3840;
export const SERVICE_SHORT_SIDE_PIXELS = 2160;

/** Whether a Worker has enough memory for frames of this size. */
export function fitsWorker({ width, height }: PixelSize): boolean {
  return (
    Math.max(width, height) <= WORKER_LONG_SIDE_PIXELS && Math.min(width, height) <= WORKER_SHORT_SIDE_PIXELS
  );
}
