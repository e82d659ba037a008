import type { VideoPlan } from "./video-plan.ts";

/** Six times as long as a cell takes to follow a change. Older frames affect the paint by less than one level. */
const WARM_UP_SECONDS = 1.2;

/**
 * First of the frames before a segment that its painter gets, so that cells continue from their state in the previous segment.
 * It is the segment's own first frame if none precedes it. All of these frames belong to the previous segment.
 */
export function warmUpStart({ frameTicks, ticksPerSecond, segments }: VideoPlan, segment: number): number {
  const first = segments[segment]?.firstFrame ?? 0;
  const earliest = segments[segment - 1]?.firstFrame ?? first;
  const fromTick = (frameTicks[first] ?? 0) - WARM_UP_SECONDS * ticksPerSecond;
  let start = first;
  while (start > earliest && (frameTicks[start - 1] ?? -Infinity) >= fromTick) start--;
  return start;
}
