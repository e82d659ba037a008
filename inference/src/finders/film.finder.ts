import type { Category } from "../detections/categories.ts";
import type { Crop, Detection } from "../detections/detection.ts";
import type { Picture } from "../images/decode.ts";
import { fuseConfidence } from "../second-look/fuse.ts";
import { groupSameThings } from "../second-look/same-things.ts";
import { toWindow, windowAround } from "../second-look/windows.ts";
import type { Question } from "./finder.ts";
import { WrappingFinder } from "./wrapping.finder.ts";

/** A detection with its crop. */
type Cropped = Detection & { readonly crop: Crop };

/**
 * Wraps another finder. For frames of a video, it keeps crops of the detections that are judged once per object, and judges the most
 * confident ones of each object after all frames of a request are analyzed. A track needs one verdict, and judging every head in
 * every frame would cost as much as stage one.
 */
export class FilmFinder extends WrappingFinder {
  async find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const found = await this.finder.find(picture, question, signal);
    return question.isSingleLook ? await this.#withCrops(picture, found, signal) : found;
  }

  async lookAgain(frames: readonly (readonly Detection[])[]): Promise<Detection[][]> {
    const { from = 0, sightings = 1 } = this.thread.manifest.videos ?? {};
    const worthALook = frames.flatMap((found, frame) =>
      found
        .filter(({ category, confidence }) => this.#isJudgedOnce(category) && confidence >= from)
        .map((detection) => ({ frame, box: detection.box, detection })),
    );
    const doubtful = [...Map.groupBy(worthALook, ({ detection }) => detection.category).values()]
      .flatMap((ofCategory) => groupSameThings(ofCategory))
      .map((thing) => thing.map(({ detection }) => detection))
      .filter((thing) => thing.every((detection) => this.#isDoubtful(detection)));
    const verdicts = await this.#judge(
      doubtful.flatMap((thing) => thing.filter(hasCrop).toSorted(bySureness).slice(0, sightings)),
    );
    return frames.map((found) =>
      found.map((detection) => {
        const { crop: _, ...rest } = detection;
        const secondLook = verdicts.get(detection);
        return secondLook === undefined ? rest : { ...rest, secondLook };
      }),
    );
  }

  /** Cuts the crops now, because the picture is freed before they are judged. */
  async #withCrops(picture: Picture, found: readonly Detection[], signal: AbortSignal): Promise<Detection[]> {
    const { videos, crop_pixels: cropPixels, pad_value: padValue } = this.thread.manifest;
    const { from = 0, max_crops: most } = videos ?? {};
    const chosen = found
      .filter((one) => this.#isJudgedOnce(one.category) && one.confidence >= from && this.#isDoubtful(one))
      .toSorted(bySureness)
      .slice(0, most)
      .map((detection) => ({
        detection,
        window: windowAround(detection.box, picture, this.thread.manifest),
      }));
    if (chosen.length === 0) return [...found];
    const windows = chosen.map(({ window }) => window);
    const crops = await this.pool.cut(picture, { windows, format: { cropPixels, padValue } }, signal);
    const bytes = crops.length / chosen.length;
    const cropOf = new Map(
      chosen.map(({ detection, window }, index) => {
        const { left, top, right, bottom } = toWindow(detection.box, window, picture);
        const pixels = crops.subarray(index * bytes, (index + 1) * bytes);
        return [detection, { pixels, box: [left, top, right, bottom] } satisfies Crop] as const;
      }),
    );
    return found.map((detection) => {
      const crop = cropOf.get(detection);
      return crop === undefined ? detection : { ...detection, crop };
    });
  }

  #isJudgedOnce(category: Category): boolean {
    return this.thread.manifest.judgments[category]?.in_videos === "once";
  }

  /** Whether the second look may change the verdict. */
  #isDoubtful({ category, confidence }: Detection): boolean {
    return confidence < (this.thread.manifest.judgments[category]?.trusted_from ?? Infinity);
  }

  /** The confidence of both looks for each detection. */
  async #judge(chosen: readonly Cropped[]): Promise<ReadonlyMap<Detection, number>> {
    if (chosen.length === 0) return new Map();
    const { classes, judgments } = this.thread.manifest;
    const { scores } = await this.thread.judge({
      crops: joined(chosen.map(({ crop }) => crop.pixels)),
      boxes: Float32Array.from(chosen.flatMap(({ crop }) => crop.box)),
    });
    return new Map(
      chosen.map((detection, index) => {
        const { category, confidence } = detection;
        const second = scores[index * classes.length + classes.indexOf(category)] ?? 0;
        const judgment = judgments[category];
        return [
          detection,
          judgment === undefined ? confidence : fuseConfidence(confidence, second, judgment),
        ];
      }),
    );
  }
}

function hasCrop(detection: Detection): detection is Cropped {
  return detection.crop !== undefined;
}

function bySureness(a: Detection, b: Detection): number {
  return b.confidence - a.confidence;
}

/** Copies crops into one buffer, which is transferred to the thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}
