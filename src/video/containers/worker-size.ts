/** A size in pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** The largest frames that a Worker's memory has room to decode and encode, in any orientation. */
export const WORKER_LONG_SIDE_PIXELS = 1920;
export const WORKER_SHORT_SIDE_PIXELS = 1088;
/** The largest frames that the media service is given. */
export const SERVICE_LONG_SIDE_PIXELS = 3840;
export const SERVICE_SHORT_SIDE_PIXELS = 2160;

/** Whether a Worker has room for frames of this size. */
export function fitsWorker({ width, height }: Size): boolean {
  return (
    Math.max(width, height) <= WORKER_LONG_SIDE_PIXELS && Math.min(width, height) <= WORKER_SHORT_SIDE_PIXELS
  );
}
