import type { FrameSample, FrameTiming } from "./frame-sample.ts";
import { linkAll, type LinkedTracks } from "./link-tracks.ts";
import { clipTracks } from "./track.ts";

/** A range of a video's frames, both ends inclusive. */
export interface FrameRange {
  readonly firstFrame: number;
  readonly lastFrame: number;
}

/** Time before and after a range that affects its tracks: longer than any gap and any extension. */
const CONTEXT_SECONDS = 8;

/** The range together with all frames whose samples affect its tracks. */
export function contextOf({ firstFrame, lastFrame }: FrameRange, frames: readonly FrameTiming[]): FrameRange {
  const timeAt = (frame: number): number => frames[frame]?.timestampSeconds ?? 0;
  let first = firstFrame;
  let last = lastFrame;
  while (first > 0 && timeAt(firstFrame) - timeAt(first - 1) <= CONTEXT_SECONDS) first--;
  while (last < frames.length - 1 && timeAt(last + 1) - timeAt(lastFrame) <= CONTEXT_SECONDS) last++;
  return { firstFrame: first, lastFrame: last };
}

/**
 * Links the tracks of one range alone, so that memory does not grow with the video. The result matches {@link linkAll} over the
 * whole video, except for the numeric IDs, which are valid only within the range.
 *
 * @param samples at least those within {@link contextOf} the range; others are ignored
 */
export function linkRange(
  range: FrameRange,
  samples: readonly FrameSample[],
  { cuts, frames }: { readonly cuts: readonly number[]; readonly frames: readonly FrameTiming[] },
): LinkedTracks {
  const { firstFrame, lastFrame } = contextOf(range, frames);
  const near = samples.filter(({ frameIndex }) => frameIndex >= firstFrame && frameIndex <= lastFrame);
  const { tracks, candidates } = linkAll(near, cuts, frames);
  return {
    tracks: clipTracks(tracks, range.firstFrame, range.lastFrame),
    candidates: clipTracks(candidates, range.firstFrame, range.lastFrame),
  };
}
