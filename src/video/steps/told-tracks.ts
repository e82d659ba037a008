import { shownBox } from "../../detection/orientation.ts";
import { detectedId, requestedId } from "../../masking/detection-ids.ts";
import type { MediaOwnership } from "../../media/media.repository.ts";
import type { PieceWriter } from "../tasks/pieces.ts";
import { keptKeyframes, type TimedBox } from "../tracks/keyframes.ts";
import type { TimedFrames } from "../tracks/requested-tracks.ts";
import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import { pointAt, rangeOf, type Track } from "../tracks/track.ts";

const DECIMALS = 1e5;

/**
 * Tells of tracks as people are told of them, one after the other: JSON objects between commas, in the frame as a player shows it. What
 * is not needed for that is not kept, so memory does not grow with their number.
 */
export class ToldTracks {
  readonly #pieces: PieceWriter;
  readonly #owned: MediaOwnership;
  readonly #video: TimedFrames;
  readonly #encoder = new TextEncoder();
  #detected = 0;
  #isFirst = true;

  constructor(pieces: PieceWriter, owned: MediaOwnership, video: TimedFrames) {
    this.#pieces = pieces;
    this.#owned = owned;
    this.#video = video;
  }

  /** Takes the next track that was detected. */
  async tell(track: Track): Promise<void> {
    const { category, confidence = 1 } = track;
    const id = detectedId(this.#owned, this.#detected++);
    await this.#write(track, { id, category, confidence: rounded(confidence), origin: "detector" });
  }

  /** Takes the track of the region of an index that a person asked for. */
  async tellRequested(
    track: Track,
    { category = null }: { category?: RedactionCategory | null | undefined },
    index: number,
  ): Promise<void> {
    const id = requestedId(this.#owned, index);
    await this.#write(track, { id, category, confidence: null, origin: "request" });
  }

  async #write(track: Track, about: object): Promise<void> {
    const boxes = this.#boxesOf(track);
    const [first, last] = [boxes[0], boxes.at(-1)];
    if (first === undefined || last === undefined) return;
    const detection = {
      ...about,
      redacted: true,
      box: told(boundsOf(boxes)),
      start_seconds: seconds(first),
      end_seconds: seconds(last),
      keyframes: keptKeyframes(boxes).map((keyframe) => ({
        time_seconds: seconds(keyframe),
        box: told(keyframe),
      })),
    };
    const text = JSON.stringify(detection);
    await this.#pieces.write(this.#encoder.encode(this.#isFirst ? text : `,${text}`));
    this.#isFirst = false;
  }

  /** Where a track is in each of its frames, cut off at the frame's edges. */
  #boxesOf(track: Track): TimedBox[] {
    const { frames, orientation } = this.#video;
    const [first, last] = rangeOf(track);
    const startSeconds = frames[0]?.timestampSeconds ?? 0;
    const boxes: TimedBox[] = [];
    for (let frame = first; frame <= last; frame++) {
      const point = pointAt(track.points, frame);
      if (point === undefined) continue;
      const [x, y, width, height] = point.box;
      const [left, top, wide, high] = shownBox([x, y, width, height], orientation);
      boxes.push({
        timeSeconds: (frames[frame]?.timestampSeconds ?? 0) - startSeconds,
        left: within(left),
        top: within(top),
        right: within(left + wide),
        bottom: within(top + high),
      });
    }
    return boxes;
  }
}

function boundsOf(boxes: readonly TimedBox[]): Omit<TimedBox, "timeSeconds"> {
  const bounds = { left: 1, top: 1, right: 0, bottom: 0 };
  for (const { left, top, right, bottom } of boxes) {
    bounds.left = Math.min(bounds.left, left);
    bounds.top = Math.min(bounds.top, top);
    bounds.right = Math.max(bounds.right, right);
    bounds.bottom = Math.max(bounds.bottom, bottom);
  }
  return bounds;
}

function told({ left, top, right, bottom }: Omit<TimedBox, "timeSeconds">) {
  return { x: rounded(left), y: rounded(top), width: rounded(right - left), height: rounded(bottom - top) };
}

function seconds({ timeSeconds }: TimedBox): number {
  return Math.round(timeSeconds * 1e6) / 1e6;
}

function within(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function rounded(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
