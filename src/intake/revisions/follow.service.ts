import { readBox } from "../../pixels/geometry/box.ts";
import { clampFraction, roundFraction } from "../../pixels/geometry/fractions.ts";
import { shownBox, storedBox } from "../../pixels/geometry/orientation.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { notFound, validationFailed } from "../../ground/platform/errors.ts";
import { followBox, type FollowedBox } from "../../work/video/follow/follow-box.ts";
import { StoredFrames } from "../../work/video/follow/stored-frames.ts";
import { timedFramesOf } from "../../work/video/steps/timed-frames.ts";
import { loadStoredPlan } from "../../work/video/tasks/step-context.ts";
import { keptKeyframes, type TimedBox } from "../../work/video/tracks/keyframes.ts";
import type { TimedFrames } from "../../work/video/tracks/requested-tracks.ts";
import type { FollowOrder, FollowResponse } from "./follow.schemas.ts";
import { findRevisable, fromStored } from "./revisable.ts";

/** How long the box is followed in each direction, at most. */
const MOST_SECONDS = 30;
/** The largest error of the box between two keyframes, as a share of the picture. The box is grown by it. */
const TOLERANCE = 0.003;
/** Tolerance for players that round the times they report. */
const ROUNDING_SECONDS = 0.001;

/**
 * Follows a box through a video's stored coarse frames, forward and backward, until it is lost, the shot ends, or half a minute
 * has passed.
 *
 * @throws VeilError 404 if the account has no such video, 409 if the stored frames are missing, 422
 */
export async function followInVideo(
  config: Pick<ApiEnv, "DB" | "MEDIA">,
  owned: MediaOwnership,
  order: FollowOrder,
): Promise<FollowResponse> {
  return await fromStored(owned.mediaId, async () => await follow(config, owned, order));
}

async function follow(
  config: Pick<ApiEnv, "DB" | "MEDIA">,
  owned: MediaOwnership,
  { timeSeconds, box }: FollowOrder,
): Promise<FollowResponse> {
  const revisable = await findRevisable(config, openDatabase(config.DB, "primary"), owned);
  const { row, analysisId, kept } = revisable;
  if (row.mediaType !== "video" || kept === undefined) throw notFound("Only boxes in videos can be tracked.");
  const analysis = { accountId: owned.accountId, mediaId: analysisId };
  const plan = await loadStoredPlan(config.MEDIA, analysis);
  const video = timedFramesOf(plan);
  const frame = frameAt(video, timeSeconds);
  const lastSeconds = timeOf(video, video.frames.length - 1) + plan.lastFrameTicks / plan.ticksPerSecond;
  if (timeSeconds > lastSeconds) {
    const until = Math.round(lastSeconds * 1000) / 1000;
    const sentence = `\`time_seconds\` is ${timeSeconds}; expected a time before the end of the video, ${until} seconds.`;
    throw validationFailed({ time_seconds: [sentence] });
  }
  const stored = new StoredFrames(config.MEDIA, analysis, { plan, kept });
  const [firstFrame, lastFrame] = shotAround(video, { frame, cuts: kept.cuts });
  const placed = storedBox(readBox(box), video.orientation);
  const found = await followBox(
    { firstFrame, lastFrame, at: async (index) => await stored.at(index) },
    { frame, box: placed },
  );
  const boxes = found.map((one) => timedBoxOf(one, video));
  const keyframes = keptKeyframes(boxes, TOLERANCE).map((one) => ({
    time_seconds: one.timeSeconds,
    box: grownBoxOf(one),
  }));
  return {
    start_seconds: boxes[0]?.timeSeconds ?? timeSeconds,
    end_seconds: boxes.at(-1)?.timeSeconds ?? timeSeconds,
    keyframes,
  };
}

/** The frame that is shown at a time. */
function frameAt(video: TimedFrames, timeSeconds: number): number {
  const until = timeSeconds + ROUNDING_SECONDS;
  const after = video.frames.findIndex((_frame, index) => timeOf(video, index) > until);
  return after < 0 ? video.frames.length - 1 : Math.max(0, after - 1);
}

/** Seconds since the first frame is shown, to the microsecond. */
function timeOf({ frames }: TimedFrames, index: number): number {
  const seconds = (frames[index]?.timestampSeconds ?? 0) - (frames[0]?.timestampSeconds ?? 0);
  return Math.round(seconds * 1e6) / 1e6;
}

/** The first and last frame of the shot around a frame, within the time limit for following. */
function shotAround(
  video: TimedFrames,
  { frame, cuts }: { frame: number; cuts: readonly number[] },
): readonly [first: number, last: number] {
  let first = Math.max(0, ...cuts.filter((cut) => cut <= frame));
  let last = Math.min(video.frames.length, ...cuts.filter((cut) => cut > frame)) - 1;
  while (timeOf(video, frame) - timeOf(video, first) > MOST_SECONDS) first++;
  while (timeOf(video, last) - timeOf(video, frame) > MOST_SECONDS) last--;
  return [first, last];
}

function timedBoxOf({ frame, box }: FollowedBox, video: TimedFrames): TimedBox {
  const [left, top, width, height] = shownBox(box, video.orientation);
  return { timeSeconds: timeOf(video, frame), left, top, right: left + width, bottom: top + height };
}

/** Grows a box by the tolerance of keyframes and clips it to the picture. */
function grownBoxOf({ left, top, right, bottom }: TimedBox): FollowOrder["box"] {
  const [x, y] = [round(left - TOLERANCE), round(top - TOLERANCE)];
  return { x, y, width: round(round(right + TOLERANCE) - x), height: round(round(bottom + TOLERANCE) - y) };
}

/** Clamps to the picture and rounds. */
function round(value: number): number {
  return roundFraction(clampFraction(value));
}
