import { type Box, centeredBox, mixBoxes } from "../../../pixels/geometry/box.ts";
import type { CoarseFrame } from "../sampling/coarse-frame.ts";
import { BoxFollower } from "./box-follower.ts";
import type { CoarseBox } from "./patch.ts";

/** Frames of a video in which a box is followed. */
export interface FollowedFrames {
  at(frame: number): Promise<CoarseFrame>;
  /** The first and last frame to which it may be followed, both inclusive. */
  readonly firstFrame: number;
  readonly lastFrame: number;
}

/** A box in one frame, in fractions of the stored frame. */
export interface FollowedBox {
  readonly frame: number;
  readonly box: Box;
}

/**
 * Follows a box forward and backward from a frame until it is lost. Returns its position in each frame from the first to the
 * last in which it is visible. While it is hidden, its position is interpolated linearly.
 */
export async function followBox(
  frames: FollowedFrames,
  { frame, box }: FollowedBox,
): Promise<readonly FollowedBox[]> {
  const start = await frames.at(frame);
  const from = coarseBoxOf(box, start);
  if (!new BoxFollower(start, from).isTellable) return [{ frame, box }];
  const before = await followOneWay(frames, { start, from, frame, step: -1 });
  const after = await followOneWay(frames, { start, from, frame, step: 1 });
  return [...before.toReversed(), { frame, box }, ...after];
}

async function followOneWay(
  frames: FollowedFrames,
  { start, from, frame, step }: { start: CoarseFrame; from: CoarseBox; frame: number; step: 1 | -1 },
): Promise<FollowedBox[]> {
  const follower = new BoxFollower(start, from);
  const seen: FollowedBox[] = [];
  let last: FollowedBox = { frame, box: boxOf(from, start) };
  for (let next = frame + step; next >= frames.firstFrame && next <= frames.lastFrame; next += step) {
    const coarse = await frames.at(next);
    const found = follower.next(coarse);
    if (found === "lost") break;
    if (found === "hidden") continue;
    const here = { frame: next, box: boxOf(found, coarse) };
    seen.push(...between(last, here, step), here);
    last = here;
  }
  return seen;
}

/** Interpolates the frames in which the box was hidden. */
function between(from: FollowedBox, to: FollowedBox, step: 1 | -1): FollowedBox[] {
  const boxes: FollowedBox[] = [];
  for (let frame = from.frame + step; frame !== to.frame; frame += step) {
    const share = (frame - from.frame) / (to.frame - from.frame);
    boxes.push({ frame, box: mixBoxes(from.box, to.box, share) });
  }
  return boxes;
}

function coarseBoxOf([left, top, width, height]: Box, frame: CoarseFrame): CoarseBox {
  return {
    centerX: (left + width / 2) * frame.width,
    centerY: (top + height / 2) * frame.height,
    width: width * frame.width,
    height: height * frame.height,
  };
}

function boxOf({ centerX, centerY, width, height }: CoarseBox, frame: CoarseFrame): Box {
  const center = [centerX / frame.width, centerY / frame.height] as const;
  return centeredBox(center, width / frame.width, height / frame.height);
}
