import type { VideoPlan } from "./video-plan.ts";

/** Six times what a cell takes to follow a change: what was shown before then is less than a level of what is painted. */
const WARM_UP_SECONDS = 1.2;

/**
 * First of the frames before a segment that its painter is shown, so that cells go on as the segment before left them; the
 * segment's own first frame when none is before it. They all belong to the segment before, of which the last frames are
 * stored by themselves.
 */
export function warmUpStart({ frameTicks, ticksPerSecond, segments }: VideoPlan, segment: number): number {
  const first = segments[segment]?.firstFrame ?? 0;
  const earliest = segments[segment - 1]?.firstFrame ?? first;
  const fromTick = (frameTicks[first] ?? 0) - WARM_UP_SECONDS * ticksPerSecond;
  let start = first;
  while (start > earliest && (frameTicks[start - 1] ?? -Infinity) >= fromTick) start--;
  return start;
}
