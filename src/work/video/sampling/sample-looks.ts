import type { PixelSize } from "../../../pixels/geometry/box.ts";
import {
  DetectionError,
  type DetectionSubject,
  type Detector,
  type Frame,
} from "../../detection/detector.ts";
import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import { DETECTOR_CALLS } from "../../../ground/platform/retry-schedules.ts";
import { JobError } from "../../../ground/platform/job-error.ts";
import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { withRetry, type RetryPolicy } from "../../../ground/platform/retry.ts";
import type { Detection, ModelIdentity } from "../../../ground/vocabulary/detection.schemas.ts";
import type { MaskingOptions } from "../../../records/masking/masking-options.ts";
import { DETECTION_FLOOR, isConfirmed, withVerdict } from "../tracks/confidence.ts";
import { orientationOfTurn, turnJpeg, type FrameTurn } from "./turned-jpeg.ts";
import type { FrameDetection, FrameSample } from "../tracks/frame-sample.ts";
import { framesMissing } from "../tasks/frames-missing.ts";

/** Pictures in one request to the detector. */
const BATCH_FRAMES = 8;
/** Concurrent requests: while one is answered, the next one is filled. */
const MOST_REQUESTS = 2;

const LOOK_RETRY: RetryPolicy = {
  ...DETECTOR_CALLS,
  isTransient: (error) => error instanceof DetectionError && error.isTransient,
};

interface SampleLooksOptions {
  readonly detector: Detector;
  readonly categories: readonly RedactionCategory[];
  readonly subject: DetectionSubject;
  /** The thresholds that a person set, if any. */
  readonly options: Pick<MaskingOptions, "sensitivity" | "minConfidence">;
  /** Index in the video of the segment's first frame. */
  readonly firstFrame: number;
  readonly size: PixelSize;
  /** How a player rotates and flips the frames. */
  readonly turn: FrameTurn;
  /** Receives each answer with its picture, in the order of the frames. The picture is freed afterward. */
  readonly onSample?: ((jpeg: Uint8Array, sample: FrameSample) => Promise<void>) | undefined;
}

/** A frame of which a picture can be made. Either of its methods is called once, and its memory is not used afterward. */
export interface OfferedPicture {
  /** The frame as a JPEG, which the caller owns. */
  toJpeg(): Promise<Uint8Array<ArrayBuffer>>;
  /** Frees the memory of a frame that nobody looks at. */
  free(): void;
}

/** A picture that the engine made. */
export function enginePicture(jpeg: Uint8Array<ArrayBuffer>): OfferedPicture {
  return {
    toJpeg: async () => jpeg,
    free: () => {
      freeBuffer(jpeg);
    },
  };
}

/**
 * Sends the selected frames of a segment to the detector while the segment is decoded. The decision about a frame and the
 * frame's picture arrive separately, in either order.
 */
export class SampleLooks {
  readonly #options: SampleLooksOptions;
  readonly #decisions: boolean[] = [];
  readonly #offered: OfferedPicture[] = [];
  #next = 0;
  #batch: { frameIndex: number; jpeg: Uint8Array<ArrayBuffer> }[] = [];
  readonly #requests = new Set<Promise<void>>();
  #lastRequest = Promise.resolve();
  readonly #samples: FrameSample[] = [];
  readonly #models = new Map<string, ModelIdentity>();
  #fault: Error | undefined;

  constructor(options: SampleLooksOptions) {
    this.#options = options;
  }

  /** Adds the decisions for the next frames, in their order: whether each is sent. */
  decide(areWanted: readonly boolean[]): void {
    this.#decisions.push(...areWanted);
  }

  /** Receives the next frame's picture. Waits while enough requests are pending. */
  async offer(picture: OfferedPicture): Promise<void> {
    this.#offered.push(picture);
    await this.#match();
  }

  /** Returns all answers in frame order once all `frames` have been offered. @throws DetectionError, JobError */
  async finish(frames: number): Promise<FrameSample[]> {
    await this.#match();
    // Only their order connects pictures with decisions. With one too few or too many, boxes would end up in the wrong frames.
    for (const count of [this.#next + this.#offered.length, this.#decisions.length]) {
      if (count !== frames) throw framesMissing(count, frames);
    }
    this.#send();
    await Promise.all(this.#requests);
    if (this.#fault !== undefined) throw this.#fault;
    return this.#samples;
  }

  /** The models that analyzed the frames so far. */
  get models(): readonly ModelIdentity[] {
    return [...this.#models.values()];
  }

  async #match(): Promise<void> {
    while (this.#offered.length > 0 && this.#decisions[this.#next] !== undefined) {
      const picture = this.#offered.shift();
      const frameIndex = this.#next++;
      if (picture === undefined) continue;
      if (this.#decisions[frameIndex] !== true) {
        picture.free();
        continue;
      }
      this.#batch.push({ frameIndex, jpeg: await picture.toJpeg() });
      if (this.#batch.length >= BATCH_FRAMES) this.#send();
      if (this.#requests.size >= MOST_REQUESTS) await Promise.race(this.#requests);
      if (this.#fault !== undefined) throw this.#fault;
    }
  }

  #send(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length === 0) return;
    const request = this.#look(batch, this.#lastRequest).catch((error: unknown) => {
      this.#fault ??= error instanceof Error ? error : new Error("A look failed.", { cause: error });
    });
    this.#lastRequest = request;
    this.#requests.add(request);
    void request.finally(() => this.#requests.delete(request));
  }

  /** @param before settled once all earlier frames have been answered */
  async #look(
    batch: readonly { frameIndex: number; jpeg: Uint8Array<ArrayBuffer> }[],
    before: Promise<void>,
  ): Promise<void> {
    const { detector, categories, options, subject, firstFrame, size, turn, onSample } = this.#options;
    const orientation = orientationOfTurn(turn);
    const jpegs = batch.map(({ jpeg }) => turnJpeg(jpeg, orientation));
    const frames = jpegs.map((jpeg) => pictureOf(jpeg, size));
    const request = { frames, categories, ...questionOf(options), isSingleLook: true, subject };
    const { frames: answers, models } = await withRetry(
      LOOK_RETRY,
      async () => await detector.detect(request),
    );
    for (const model of models) this.#models.set(JSON.stringify(model), model);
    await before;
    const wanted = new Set(categories);
    for (const [index, { frameIndex, jpeg }] of batch.entries()) {
      const answer = answers[index];
      if (answer?.width !== size.width || answer.height !== size.height) {
        throw new JobError("detector_saw_another_size", false);
      }
      const detections = answer.detections
        .filter(({ category }) => wanted.has(category))
        .map((detection) => judged(detection, options));
      const sample = { frameIndex: firstFrame + frameIndex, detections };
      this.#samples.push(sample);
      await onSample?.(jpeg, sample);
    }
    for (const jpeg of [...jpegs, ...batch.map((look) => look.jpeg)]) freeBuffer(jpeg);
  }
}

type Thresholds = SampleLooksOptions["options"];

/** If a person set thresholds, detections below them are requested too, as candidates. */
function questionOf({ sensitivity, minConfidence }: Thresholds) {
  if (minConfidence !== undefined) return { minConfidence, withCandidates: true };
  if (sensitivity !== "normal") return { sensitivity, withCandidates: true };
  return { minConfidence: DETECTION_FLOOR };
}

function judged(found: Detection, { sensitivity, minConfidence }: Thresholds): FrameDetection {
  const { second_look: secondLook, ...detection } = found;
  const least = typeof minConfidence === "object" ? minConfidence[detection.category] : minConfidence;
  const isSet =
    typeof minConfidence === "object" ? least !== undefined : least !== undefined || sensitivity !== "normal";
  const sighting = isSet ? withVerdict(detection, detection.candidate !== true) : detection;
  if (secondLook === undefined) return sighting;
  return { ...sighting, confirmed: isConfirmed(secondLook, { sensitivity, minConfidence: least }) };
}

function pictureOf(jpeg: Uint8Array<ArrayBuffer>, { width, height }: PixelSize): Frame {
  return {
    format: "jpeg",
    sizeBytes: jpeg.length,
    widthPixels: width,
    heightPixels: height,
    open: async () => streamOf(jpeg),
  };
}

/** Returns a stream, because the body of a Response would hold the bytes until it is garbage-collected. */
function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
