import { orientationOfTurn } from "../sampling/turned-jpeg.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import type { TimedFrames } from "../tracks/requested-tracks.ts";

/** The frame times and orientation of a planned video, for placing regions in it. */
export function timedFramesOf(plan: VideoPlan): TimedFrames {
  const frames = plan.frameTicks.map((tick) => ({ timestampSeconds: tick / plan.ticksPerSecond }));
  return { frames, orientation: orientationOfTurn(plan) };
}
