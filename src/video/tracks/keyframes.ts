/** The box of an object when a frame is shown, by its sides in fractions of the picture. */
export interface TimedBox {
  readonly timeSeconds: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Keyframes miss no side by more than this share of the picture: a hundredth, less what rounding takes. */
const TOLERANCE = 0.0099;
/** Most frames between two keyframes, which bounds the work. */
const MOST_FRAMES = 600;

const SIDES = ["left", "top", "right", "bottom"] as const;

/**
 * Few of some boxes, from which the others follow: between two keyframes each side moves evenly, by time. Each stretch reaches as far as it
 * can. The first and the last box are always among them.
 */
export function keptKeyframes(boxes: readonly TimedBox[], tolerance = TOLERANCE): TimedBox[] {
  const [first] = boxes;
  if (first === undefined) return [];
  const kept = [first];
  for (let start = 0; start < boxes.length - 1;) {
    const most = Math.min(boxes.length - 1, start + MOST_FRAMES);
    let end = start + 1;
    while (end < most && isEven(boxes, { start, end: end + 1, tolerance })) end++;
    const keyframe = boxes[end];
    if (keyframe !== undefined) kept.push(keyframe);
    start = end;
  }
  return kept;
}

function isEven(
  boxes: readonly TimedBox[],
  { start, end, tolerance }: { start: number; end: number; tolerance: number },
): boolean {
  const [from, to] = [boxes[start], boxes[end]];
  if (from === undefined || to === undefined) return false;
  const span = to.timeSeconds - from.timeSeconds;
  for (let index = start + 1; index < end; index++) {
    const box = boxes[index];
    if (box === undefined) return false;
    const share = span > 0 ? (box.timeSeconds - from.timeSeconds) / span : 0;
    if (SIDES.some((side) => Math.abs(from[side] + (to[side] - from[side]) * share - box[side]) > tolerance))
      return false;
  }
  return true;
}
