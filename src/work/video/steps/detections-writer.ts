import { clampFraction, roundFraction } from "../../../pixels/geometry/fractions.ts";
import { sidesAround, type Point, type Sides, type WrittenBox } from "../../../pixels/geometry/box.ts";
import { shownBox } from "../../../pixels/geometry/orientation.ts";
import { requestedId } from "../../../records/masking/detection-ids.ts";
import { reasonOf, type ReasonSource } from "../../../records/masking/mask-reasons.ts";
import type { RequestedRegion } from "../../../records/masking/masking-options.ts";
import { detectionsKey } from "../../../records/media/media.objects.ts";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import { PieceWriter } from "../../../records/video-tasks/pieces.ts";
import { BETWEEN } from "../../../records/video-tasks/listed-detections.ts";
import { keptKeyframes, type TimedBox } from "../tracks/keyframes.ts";
import { requestedTracks, type TimedFrames } from "../tracks/requested-tracks.ts";
import { pointAt, rangeOf, type Track } from "../tracks/track.ts";

/**
 * Writes tracks in the API's format, one after another, in coordinates of the frame as a player shows it. It keeps none of
 * them, so memory use does not grow with their number.
 */
export class DetectionsWriter {
  readonly #pieces: PieceWriter;
  readonly #owned: MediaOwnership;
  readonly #video: TimedFrames;
  readonly #reasons: ReasonSource;
  readonly #encoder = new TextEncoder();
  #isFirst = true;

  /** Writes the detections of a media item. Those that are hidden carry their reasons. */
  constructor(
    bucket: R2Bucket,
    owned: MediaOwnership,
    { video, reasons }: { readonly video: TimedFrames; readonly reasons: ReasonSource },
  ) {
    this.#pieces = new PieceWriter(bucket, detectionsKey(owned));
    this.#owned = owned;
    this.#video = video;
    this.#reasons = reasons;
  }

  /** Writes a detected track under its ID. */
  async write(track: Track, { isOpen = false } = {}): Promise<void> {
    const { name, category, confidence = 1 } = track;
    const about = { id: name, category, confidence: roundFraction(confidence), origin: "detector" };
    const reason = isOpen ? undefined : reasonOf({ category }, this.#reasons);
    await this.#writeTrack(track, { ...about, redacted: !isOpen, reason });
  }

  /** Writes the regions that a person requested. */
  async writeRequested(regions: readonly RequestedRegion[]): Promise<void> {
    const whole = { firstFrame: 0, lastFrame: this.#video.frames.length - 1 };
    for (const [index, region] of regions.entries()) {
      const { id = requestedId(this.#owned, index), category = null, isOpen = false } = region;
      const reason = isOpen ? undefined : reasonOf(region, this.#reasons);
      const about = { id, category, confidence: null, origin: "request", redacted: !isOpen, reason };
      for (const track of requestedTracks([region], this.#video, whole)) await this.#writeTrack(track, about);
    }
  }

  /** Writes a detection that is already in the API's format. */
  async writeListed(detection: object): Promise<void> {
    const text = JSON.stringify(detection);
    await this.#pieces.write(this.#encoder.encode(this.#isFirst ? text : `${BETWEEN}${text}`));
    this.#isFirst = false;
  }

  /** Stores the rest. Nothing can be written afterward. */
  async finish(): Promise<void> {
    await this.#pieces.finish();
  }

  async #writeTrack(track: Track, about: object): Promise<void> {
    const boxes = this.#boxesOf(track);
    const [first, last] = [boxes[0], boxes.at(-1)];
    if (first === undefined || last === undefined) return;
    await this.writeListed({
      ...about,
      box: listedBox(
        sidesAround(
          boxes.flatMap(({ left, top, right, bottom }): Point[] => [
            [left, top],
            [right, bottom],
          ]),
        ),
      ),
      start_seconds: seconds(first),
      end_seconds: seconds(last),
      keyframes: keptKeyframes(boxes).map((keyframe) => ({
        time_seconds: seconds(keyframe),
        box: listedBox(keyframe),
      })),
    });
  }

  /** A track's box in each of its frames, clipped to the frame. */
  #boxesOf(track: Track): TimedBox[] {
    const { frames, orientation } = this.#video;
    const [first, last] = rangeOf(track);
    const startSeconds = frames[0]?.timestampSeconds ?? 0;
    const boxes: TimedBox[] = [];
    for (let frame = first; frame <= last; frame++) {
      const point = pointAt(track.points, frame);
      if (point === undefined) continue;
      const [left, top, width, height] = shownBox(point.box, orientation);
      boxes.push({
        timeSeconds: (frames[frame]?.timestampSeconds ?? 0) - startSeconds,
        left: clampFraction(left),
        top: clampFraction(top),
        right: clampFraction(left + width),
        bottom: clampFraction(top + height),
      });
    }
    return boxes;
  }
}

function listedBox({ left, top, right, bottom }: Sides): WrittenBox {
  return {
    x: roundFraction(left),
    y: roundFraction(top),
    width: roundFraction(right - left),
    height: roundFraction(bottom - top),
  };
}

function seconds({ timeSeconds }: TimedBox): number {
  return Math.round(timeSeconds * 1e6) / 1e6;
}
