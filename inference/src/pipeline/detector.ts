import type { Category } from "../detections/categories.ts";
import { CODE_READER } from "../codes/reader.ts";
import { categoriesOfCode, confidenceOfCode } from "../codes/formats.ts";
import { unite } from "../codes/merge.ts";
import { CODE_LOOKS, type FoundCode } from "../codes/passes.ts";
import { settleCodes } from "../codes/settle-codes.ts";
import { boundsOf, clipPointToUnit } from "../geometry/box.ts";
import {
  isDecodedAlone,
  SHOWINGS,
  type DecodedFrame,
  type DecodeLimits,
  type Picture,
  type Refusal,
  type Showing,
} from "../images/decode.ts";
import { isCancelled, ServiceError, throwIfAborted } from "../platform/errors.ts";
import { Gate } from "../platform/gate.ts";
import type { Sensitivity } from "../models/sensitivity.ts";
import type { WorkerPool } from "../workers/pool.ts";
import { type Detection, toStored } from "../detections/detection.ts";
import {
  reportedFrom,
  thresholdOf,
  type Confidences,
  type Finder,
  type Question,
} from "../finders/finder.ts";
import type { ReadingThread } from "../workers/model-threads.ts";
import { readLargeLines } from "./read-lines.ts";
import { withKin, nameFound } from "./related-categories.ts";
import { planErrands, settleFindings } from "./specialists.ts";

const CODE_CATEGORIES = ["qr_codes", "barcodes"] as const;

/** A code that was read has confidence 1, a code that was only located 0.6, and a Data Matrix that was only located 0.3. */
const CODE_THRESHOLDS: Readonly<Record<Sensitivity, number>> = { low: 0.7, normal: 0.5, high: 0.3 };

export interface ModelInfo {
  readonly id: string;
  readonly version: string;
  readonly sha256: string;
  readonly licence: string;
  readonly categories: readonly Category[];
  /** Where it runs: `cpu` or `cuda`. */
  readonly device: string;
}

export interface FrameResult {
  /** Stored size in pixels, before any rotation. */
  readonly width: number;
  readonly height: number;
  /** Coordinates in 0…1 of the stored pixels. */
  readonly detections: Detection[];
}

export interface DetectorOptions {
  readonly pool: WorkerPool;
  readonly runners: readonly Finder[];
  readonly device: string;
  readonly limits: DecodeLimits;
  /** Reads large lines of writing in photos. Absent if its network is not installed. */
  readonly reader?: ReadingThread | undefined;
  /** Limits how many frames are processed at once. */
  readonly frames: Gate;
}

/** Looks at frames with every model and the codes reader that the requested categories need. */
export class Detector {
  readonly models: readonly ModelInfo[];
  readonly #pool: WorkerPool;
  readonly #runners: readonly Finder[];
  readonly #limits: DecodeLimits;
  readonly #frames: Gate;
  readonly #framesDecodedAlone = new Gate(1);
  readonly #reader: ReadingThread | undefined;

  constructor({ pool, runners, reader, device, limits, frames }: DetectorOptions) {
    this.#pool = pool;
    this.#reader = reader;
    this.#runners = runners;
    this.#limits = limits;
    this.#frames = frames;
    this.models = [
      ...runners.map(({ manifest, categories }) => ({
        id: manifest.id,
        version: manifest.version,
        sha256: manifest.sha256,
        licence: manifest.licence,
        categories,
        device,
      })),
      ...(reader === undefined
        ? []
        : [
            {
              id: reader.manifest.id,
              version: reader.manifest.version,
              sha256: reader.manifest.sha256,
              licence: reader.manifest.licence,
              categories: ["writing"] as const,
              device: "cpu",
            },
          ]),
      { ...CODE_READER, categories: CODE_CATEGORIES, device: "cpu" },
    ];
  }

  /** Every category that at least one model serves. */
  get categories(): Category[] {
    return [...new Set(this.models.flatMap((model) => model.categories))];
  }

  /** The confidence from which each category counts, by sensitivity. If several models serve a category, it is the lowest. */
  get thresholds(): Record<Sensitivity, Confidences> {
    const at = (sensitivity: Sensitivity): Confidences =>
      Object.fromEntries(
        this.categories.map((name) => [name, Math.min(...this.#thresholdsOf(name, sensitivity))]),
      );
    return { low: at("low"), normal: at("normal"), high: at("high") };
  }

  #thresholdsOf(name: Category, sensitivity: Sensitivity): number[] {
    const serving = this.#runners.filter(({ categories }) => categories.includes(name));
    const own = serving.map((finder) => thresholdOf(finder, name, { sensitivity, minConfidence: {} }));
    return CODE_CATEGORIES.some((code) => code === name) ? [...own, CODE_THRESHOLDS[sensitivity]] : own;
  }

  /** Number of frames that wait to be decoded. */
  get waitingFrames(): number {
    return this.#frames.waiting;
  }

  /** Number of tasks that wait for a worker thread. */
  get waitingTasks(): number {
    return this.#pool.waiting;
  }

  /** Number of views that wait for a network. */
  get waitingViews(): number {
    return this.#runners.reduce((sum, runner) => sum + runner.waiting, 0);
  }

  /** The models that a question needs. */
  modelsFor(question: Question): ModelInfo[] {
    const wanted = withKin(question.categories);
    const asked = planErrands(this.#runners, { ...question, categories: wanted });
    const readsCodes = CODE_CATEGORIES.some((name) => wanted.includes(name));
    const readsLines = this.#readsLines({ ...question, categories: wanted });
    return this.models.filter(
      ({ id }) =>
        (readsCodes && id === CODE_READER.id) ||
        (readsLines && id === this.#reader?.manifest.id) ||
        asked.some(({ finder }) => finder.manifest.id === id),
    );
  }

  /**
   * Looks at some frames. The answers have the same order.
   * @throws ServiceError `validation_failed` that names every frame that does not decode or exceeds a limit; `cancelled` if the
   * signal fires.
   */
  async detect(
    frames: readonly Uint8Array[],
    question: Question,
    signal: AbortSignal,
  ): Promise<FrameResult[]> {
    const refusals = new Map<number, string>();
    const failure = new AbortController();
    const either = AbortSignal.any([signal, failure.signal]);
    const settled = await Promise.allSettled(
      frames.map(async (bytes, index) => {
        try {
          return await this.#frames.hold(either, async () => {
            const seen = await this.#see(bytes, {
              question,
              signal: either,
              isMoot: () => refusals.size > 0,
            });
            if (seen === undefined || !("refusal" in seen)) return seen;
            refusals.set(index, seen.refusal);
            return undefined;
          });
        } catch (error) {
          failure.abort();
          throw error;
        }
      }),
    );
    throwIfAborted(signal);
    const failed = settled.find((outcome) => outcome.status === "rejected" && !isCancelled(outcome.reason));
    if (failed?.status === "rejected") throw failed.reason;
    if (refusals.size > 0) throw refusedFrames(refusals);
    const seen = settled.flatMap((outcome) =>
      outcome.status === "fulfilled" && outcome.value !== undefined ? [outcome.value] : [],
    );
    return question.isSingleLook ? await this.#lookAgain(seen) : seen;
  }

  async #lookAgain(results: readonly FrameResult[]): Promise<FrameResult[]> {
    let frames: readonly (readonly Detection[])[] = results.map(({ detections }) => detections);
    for (const runner of this.#runners) frames = (await runner.lookAgain?.(frames)) ?? frames;
    return results.map((result, index) => ({ ...result, detections: [...(frames[index] ?? [])] }));
  }

  /**
   * Looks at an opaque frame once. Looks at any other frame in each showing and returns the detections of all. Showings run one
   * after the other, so that only one is in memory. Returns undefined once another frame has been refused.
   */
  async #see(
    bytes: Uint8Array,
    { question, signal, isMoot }: { question: Question; signal: AbortSignal; isMoot: () => boolean },
  ): Promise<FrameResult | Refusal | undefined> {
    const looks: FrameResult[] = [];
    for (const showing of SHOWINGS) {
      const decoded = await this.#decode(bytes, showing, signal);
      if ("refusal" in decoded) return decoded;
      if (isMoot()) return undefined;
      looks.push(await this.#look(decoded, question, signal));
      if (!decoded.isSeeThrough) break;
    }
    const [first] = looks;
    return first && { ...first, detections: looks.flatMap(({ detections }) => detections) };
  }

  async #decode(bytes: Uint8Array, showing: Showing, signal: AbortSignal): Promise<DecodedFrame | Refusal> {
    const decode = async (): Promise<DecodedFrame | Refusal> =>
      await this.#pool.run("decode", { bytes, limits: this.#limits, showing }, signal);
    if (!isDecodedAlone(bytes, this.#limits)) return await decode();
    return await this.#framesDecodedAlone.hold(signal, decode);
  }

  async #look(frame: DecodedFrame, question: Question, signal: AbortSignal): Promise<FrameResult> {
    const { picture, orientation, storedWidth, storedHeight } = frame;
    const wanted = withKin(question.categories);
    // The picture for the codes reader is prepared at the same time as the first view. The views are then queued before the
    // looks for codes, so that a network computes while codes are read, not afterward.
    const looks = this.#codes(picture, question, signal);
    // A line that is only a candidate may turn out to be legible.
    const withCandidates = question.withCandidates || this.#readsLines({ ...question, categories: wanted });
    const asked = { ...question, categories: wanted, withCandidates };
    const networks = planErrands(this.#runners, asked).map(async ({ finder, question: errand }) => ({
      finder,
      question: errand,
      found: await finder.find(picture, errand, signal),
    }));
    const [codes, ...findings] = await Promise.all([looks, ...networks]);
    const found = await this.#readLines(settleFindings(findings, asked, picture), { picture, asked, signal });
    const detections = nameFound(settleCodes(found, codes, picture), question.categories)
      .filter(({ isCandidate }) => question.withCandidates || isCandidate !== true)
      .map((detection) => toStored(detection, orientation));
    return { width: storedWidth, height: storedHeight, detections };
  }

  #readsLines({ categories, isSingleLook }: Question): boolean {
    return this.#reader !== undefined && !isSingleLook && categories.includes("writing");
  }

  async #readLines(
    found: readonly Detection[],
    { picture, asked, signal }: { picture: Picture; asked: Question; signal: AbortSignal },
  ): Promise<readonly Detection[]> {
    const reader = this.#reader;
    const specialist = this.#runners.find(({ manifest }) => manifest.specialist?.category === "writing");
    if (reader === undefined || specialist === undefined || !this.#readsLines(asked)) return found;
    const confidences = {
      threshold: thresholdOf(specialist, "writing", asked),
      reported: reportedFrom(specialist, "writing", asked),
    };
    return await readLargeLines(found, { picture, confidences }, async (task) => {
      throwIfAborted(signal);
      return await reader.read(task);
    });
  }

  async #codes(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const asked = CODE_CATEGORIES.filter((name) => question.categories.includes(name));
    if (asked.length === 0) return [];
    const prepared = await this.#pool.run("codePicture", { picture }, signal);
    const looks = await Promise.all(
      CODE_LOOKS.map(async (look) => this.#pool.run("codes", { picture: prepared, look }, signal)),
    );
    return unite(looks.flat())
      .flatMap((code) => detectionsOf(code, asked))
      .flatMap((detection) => codeAsAsked(detection, question));
  }
}

/** Codes have no floor. Every code that the reader located can be a candidate. */
function codeAsAsked(detection: Detection, question: Question): Detection[] {
  const { category, confidence } = detection;
  const threshold = question.minConfidence[category] ?? CODE_THRESHOLDS[question.sensitivity];
  if (confidence >= threshold) return [detection];
  return question.withCandidates ? [{ ...detection, isCandidate: true }] : [];
}

function detectionsOf(code: FoundCode, asked: readonly Category[]): Detection[] {
  const polygon = code.corners.map(clipPointToUnit);
  const box = boundsOf(polygon);
  const confidence = confidenceOfCode(code);
  return categoriesOfCode(code.symbology)
    .filter((category) => asked.includes(category))
    .map((category) => ({ category, confidence, box, polygon }));
}

function refusedFrames(refusals: ReadonlyMap<number, string>): ServiceError {
  const sentences = [...refusals]
    .toSorted(([a], [b]) => a - b)
    .map(([index, refusal]) => `frames[${index}] ${refusal}.`);
  return new ServiceError({
    code: "validation_failed",
    message: sentences.join(" "),
    details: { frames: sentences },
  });
}
